"""The findings, a line each; a click unfolds the paragraph, the rule, and which choices turn the verdict, as they get known."""

from collections.abc import Callable, Sequence

import streamlit as st

from attn_core.findings.bars import OF_A_PAGE, Verdict
from attn_core.findings.protocols import HeadsAndLayers
from attn_core.findings.robustness import CHOICES, Dimension, SoFar, Tried, tried
from attn_core.findings.verdicts import Finding, findings
from attn_core.io.tables import markdown
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.in_words import LABELS
from attn_core.ui import derived
from attn_core.ui import readings
from attn_core.ui import removals
from attn_core.ui import copies
from attn_core.ui import prefetch
from attn_core.ui.caches.of_choice import other_settings_complete, under_other_settings
from attn_core.ui.choice import Choice
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain

PATIENCE = 3.0  # seconds between two looks at what was found so far
FIRM = "Other settings are asked of the model alone: where they say *as in the paper*, a network that never learned may pass too."
UNKNOWN = "What other settings say is not known yet."


def show_findings(results: HeadsAndLayers, choice: Choice, beside: Callable[[Finding], None]) -> None:
    """The findings with their verdicts and how firm these are; drawn again until all is known.

    choice: whose settings gave the verdicts. beside: draws what follows a finding.
    """
    waits = not other_settings_complete(choice)
    st.fragment(_draw, run_every=PATIENCE if waits else None)(results, choice, beside, waits)


def _draw(results: HeadsAndLayers, choice: Choice, beside: Callable[[Finding], None], waits: bool) -> None:
    if waits and other_settings_complete(choice):
        st.rerun()
    elif waits:
        prefetch.go_on(choice)
    known = under_other_settings(choice)
    verdicts = dict(known.verdicts)  # which a thread fills meanwhile
    with st.container(gap=None):
        for finding in findings(results, derived.nulls_if_counted(choice)):
            ways = tried(finding.row, verdicts, choice.settings)
            with st.expander(show.verdict(finding)):
                st.markdown(plain(finding.sentence))
                show.rule(finding)
                if finding.verdict != "not asked":
                    with st.container(
                        key=f"firm-{finding.row}"
                    ):  # which has its room from the start (`streamlit_faults`)
                        st.markdown(f":gray[{firm_in_words(ways) or UNKNOWN}]")
                with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                    beside(finding)
                    if finding.effect:
                        with st.popover("Under other settings", type="tertiary", icon=":material/tune:"):
                            _other_settings(
                                ways, verdicts.get(choice.settings, {})[finding.row] if ways else None, choice
                            )
    st.caption(" ".join(filter(None, (FIRM, OF_A_PAGE if choice.study is None else ""))))
    if known.problem:
        st.caption(f":material/info: How firm these verdicts are cannot be told: {plain(known.problem)}")


def firm_of(found: Sequence[Finding], known: SoFar, choice: Choice) -> dict[str, str]:
    """What other settings do to the verdict on each row, by effect, in Markdown, as far as it is known."""
    others = dict(known.verdicts)  # which a thread fills meanwhile
    return {one.row: firm_in_words(tried(one.row, others, choice.settings)) for one in found}


def firm_in_words(ways: Sequence[Tried]) -> str:
    """What every choice does to a verdict, in a short sentence; none where no other setting is known yet."""
    stays = [_named(way.dimension, way.stays) for way in ways if way.stays]
    turns = [f"to *{verdict}* {_named(way.dimension, [one])}" for way in ways for one, verdict in way.turns]
    parts = [f"stays {', '.join(stays)}"] if stays else []
    parts += [f"**turns** {', '.join(turns)}"] if turns else []
    words = "; ".join(parts)
    return words and words[0].upper() + words[1:] + "."


def _named(dimension: Dimension, settings: Sequence[Settings]) -> str:
    """Some settings by the one choice in which they differ."""
    if dimension == "measure":
        return "under " + " and ".join(LABELS[one.measure] for one in settings)
    if dimension == "share":
        return "at " + " and ".join(f"{100 * one.share:g}%" for one in settings)
    if dimension == "special":
        return f"with special tokens {'in' if settings[0].with_special else 'out'}"
    return f"over {settings[0].unit}"


def _other_settings(ways: Sequence[Tried], own: Verdict | None, choice: Choice) -> None:
    """The verdict under every other setting. own: the one under the settings that were chosen."""
    if own is None:
        st.caption(UNKNOWN)
        return
    rows = [
        [CHOICES[way.dimension], _named(way.dimension, [one]), f":{show.COLOURS[verdict]}[{verdict}]"]
        for way in ways
        for one, verdict in [*((one, own) for one in way.stays), *way.turns]
    ]
    st.markdown(markdown(["one choice changed", "to", "verdict"], rows))
    st.caption(_taken_from(choice))


def _taken_from(choice: Choice) -> str:
    if choice.study is None:
        return "All from the same head outputs."
    return (
        f"A study counts under one setting. These are of {len(derived.readings_of_study(choice.study))} of its windows, drawn "
        "at random and read again, each of another text: so little text may differ from the whole corpus even under the "
        "study's own settings."
    )
