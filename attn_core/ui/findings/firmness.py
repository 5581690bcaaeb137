"""Under how many other settings a verdict stays, beside it, the grid one click away; drawn again until all is known."""

from collections.abc import Callable, Mapping

import streamlit as st

from attn_core.findings.protocols import HeadsAndLayers
from attn_core.findings.robustness import SHARES, Verdicts, stays
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


def show_findings(found: HeadsAndLayers, choice: Choice, beside: Callable[[Finding], None]) -> None:
    """The findings with their verdicts and how firm these are; drawn again until all is known.

    choice: whose settings gave the verdicts. beside: draws what follows a finding.
    """
    waits = not is_complete(choice)
    st.fragment(_draw, run_every=PATIENCE if waits else None)(found, choice, beside, waits)


def _draw(found: HeadsAndLayers, choice: Choice, beside: Callable[[Finding], None], waits: bool) -> None:
    if waits and is_complete(choice):
        st.rerun()
    elif waits:
        prefetch.go_on(choice)
    known = so_far(choice)
    told = dict(known.found)  # which a thread fills meanwhile
    for finding in findings(found):
        same, others = stays(finding.claim, finding.verdict, told, choice.settings)
        show.finding(finding, _firm(same, others, is_complete(choice)))
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            beside(finding)
            if told:
                with st.popover("How firm?", type="tertiary", icon=":material/grid_on:"):
                    _grid(finding, told, choice)
    if known.problem:
        st.caption(f":material/info: How firm these verdicts are cannot be told: {plain(known.problem)}")


def _firm(same: int, others: int, complete: bool) -> str:
    """Under how many other settings a verdict stays, in a short sentence; none where no other is known yet."""
    if not others:
        return ""
    if complete and same < others / 2:
        return f":orange[**Not firm**: stays in {same} of {others} settings.]"
    return f":gray[Stays in {same} of {others} settings{'' if complete else ' so far'}.]"


def _grid(finding: Finding, found: Mapping[Settings, Verdicts], choice: Choice) -> None:
    """The verdict under every setting, the chosen one in frames."""
    same, others = stays(finding.claim, finding.verdict, found, choice.settings)
    st.markdown(f"**{finding.topic}: {finding.verdict}** under {same} of {others} other settings")
    rows = []
    for with_special in sorted({settings.with_special for settings in found}, reverse=True):
        for label, measure in MEASURES.items():
            row = [Settings(measure, share, with_special, choice.settings.unit) for share in SHARES]
            cells = [_cell(finding.claim, found.get(one, {}), one == choice.settings) for one in row]
            rows.append([f"{label}{'' if with_special else ', special tokens out'}", *cells])
    st.markdown(markdown(["", *(f"strongest {share:.1%}" for share in SHARES)], rows))
    said = "The settings of the sidebar" if choice.study is None else "The study's own settings"
    st.caption(f"{said} are marked by a frame. {_taken_from(choice)}")


def _cell(claim: str, told: Verdicts, chosen: bool) -> str:
    if claim not in told:
        return "–"
    colour = show.COLOURS[told[claim]]
    return f":{colour}-badge[{told[claim]}]" if chosen else f":{colour}[{told[claim]}]"


def _taken_from(choice: Choice) -> str:
    if choice.study is None:
        return "All from the same head outputs."
    return (
        f"A study counts under one setting. The grid is of {len(readings.readings_of_study(choice.study))} of its windows, drawn "
        "at random and read again, each of another text: so little text may differ from the whole corpus even under the "
        "study's own settings."
    )
