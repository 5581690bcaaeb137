"""Which choices turn a verdict, beside it, and the rule that gave it one click away; drawn again until all is known."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from attn_core.findings.protocols import HeadsAndLayers
from attn_core.findings.robustness import Dimension, Tried, Verdicts, tried
from attn_core.findings.verdicts import Finding, findings
from attn_core.io.markdown import markdown
from attn_core.similarity.strong_pairs import Settings
from attn_core.ui.caches import prefetch, readings
from attn_core.ui.caches.other_settings import is_complete, so_far
from attn_core.ui.choice import Choice
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.in_words import MEASURES

PATIENCE = 3.0  # seconds between two looks at what was found so far
LABELS = {measure: label for label, measure in MEASURES.items()}
CHOICES: Mapping[Dimension, str] = {
    "measure": "measure", "share": "share of strong pairs", "special": "special tokens", "unit": "unit"
}  # fmt: skip


def show_findings(results: HeadsAndLayers, choice: Choice, beside: Callable[[Finding], None]) -> None:
    """The findings with their verdicts and how firm these are; drawn again until all is known.

    choice: whose settings gave the verdicts. beside: draws what follows a finding.
    """
    waits = not is_complete(choice)
    st.fragment(_draw, run_every=PATIENCE if waits else None)(results, choice, beside, waits)


def _draw(results: HeadsAndLayers, choice: Choice, beside: Callable[[Finding], None], waits: bool) -> None:
    if waits and is_complete(choice):
        st.rerun()
    elif waits:
        prefetch.go_on(choice)
    known = so_far(choice)
    told = dict(known.verdicts)  # which a thread fills meanwhile
    for finding in findings(results):
        ways = tried(finding.claim, told, choice.settings)
        show.finding(finding, firm_in_words(ways) if finding.verdict != "not asked" else "")
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            beside(finding)
            if finding.effects:
                with st.popover("Why this verdict?", type="tertiary", icon=":material/rule:"):
                    _rule(finding, ways, told.get(choice.settings, {}), choice)
    if known.problem:
        st.caption(f":material/info: How firm these verdicts are cannot be told: {plain(known.problem)}")


def firm_in_words(ways: Sequence[Tried]) -> str:
    """What every choice does to a verdict, in a short sentence; none where no other setting is known yet."""
    stays = [_named(way.dimension, way.stays) for way in ways if way.stays]
    turns = [f"to *{verdict}* {_named(way.dimension, [one])}" for way in ways for one, verdict in way.turns]
    parts = [f"stays {', '.join(stays)}"] if stays else []
    parts += [f"**turns** {', '.join(turns)}"] if turns else []
    told = "; ".join(parts)
    return told and told[0].upper() + told[1:] + "."


def _named(dimension: Dimension, settings: Sequence[Settings]) -> str:
    """Some settings by the one choice in which they differ."""
    if dimension == "measure":
        return "under " + " and ".join(LABELS[one.measure] for one in settings)
    if dimension == "share":
        return "at " + " and ".join(f"{100 * one.share:g} %" for one in settings)
    if dimension == "special":
        return f"with special tokens {'in' if settings[0].with_special else 'out'}"
    return f"over {settings[0].unit}"


def _rule(finding: Finding, ways: Sequence[Tried], own: Verdicts, choice: Choice) -> None:
    """The rule with the numbers put in, and the verdict under every other setting."""
    st.markdown(f"**{finding.topic}: {finding.verdict}**")
    for told in finding.rule:
        st.markdown(f"- {plain(told)}")
    st.caption(
        "As in the paper, or unlike it, only where the whole interval lies beyond the bar; the bars are our choice. "
        f"{plain(finding.reason)}"
    )
    if not ways:
        return
    rows = [
        [CHOICES[way.dimension], _named(way.dimension, [one]), f":{show.COLOURS[verdict]}[{verdict}]"]
        for way in ways
        for one, verdict in [*((one, own[finding.claim]) for one in way.stays), *way.turns]
    ]
    st.markdown(markdown(["one choice changed", "to", "verdict"], rows))
    st.caption(_taken_from(choice))


def _taken_from(choice: Choice) -> str:
    if choice.study is None:
        return "All from the same head outputs."
    return (
        f"A study counts under one setting. These are of {len(readings.readings_of_study(choice.study))} of its windows, drawn "
        "at random and read again, each of another text: so little text may differ from the whole corpus even under the "
        "study's own settings."
    )
