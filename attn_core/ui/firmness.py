"""Under how many other settings a verdict stays: filled in while the page is looked at, the grid one click away."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from attn_core.analysis import Reading
from attn_core.errors import InputError
from attn_core.findings import Finding, findings
from attn_core.firmness import SHARES, SoFar, Verdicts, sensible, stays, verdicts
from attn_core.found import HeadsAndLayers
from attn_core.strong_pairs import Settings
from attn_core.ui import cache, show
from attn_core.ui.choice import Choice
from attn_core.ui.escape import plain
from attn_core.ui.in_words import MEASURES

PATIENCE = 3.0  # seconds between two looks at what was found so far


def so_far(choice: Choice) -> SoFar:
    """What is known of a choice; settings differ within it, so that a change of them loses nothing."""
    return cache.verdicts_so_far(replace(choice, title="", settings=Settings(unit=choice.settings.unit)))


def steps(choice: Choice) -> Iterator[Callable[[], object]]:
    """Find the verdicts under each of the sensible settings."""
    for settings in sensible(choice.settings.unit):
        yield partial(_find, choice, settings)


def show_findings(found: HeadsAndLayers, choice: Choice, beside: Callable[[Finding], None]) -> None:
    """The findings with their verdicts and how firm these are; drawn again until all is known.

    choice: whose settings gave the verdicts. beside: draws what follows a finding.
    """
    waits = not _complete(choice)
    st.fragment(_draw, run_every=PATIENCE if waits else None)(found, choice, beside, waits)


def _draw(found: HeadsAndLayers, choice: Choice, beside: Callable[[Finding], None], waits: bool) -> None:
    if waits and _complete(choice):
        st.rerun()
    known = so_far(choice)
    for finding in findings(found):
        same, others = stays(finding.claim, finding.verdict, known.found, choice.settings)
        show.finding(finding, _firm(same, others, _complete(choice)))
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            beside(finding)
            if known.found:
                with st.popover("How firm?", type="tertiary", icon=":material/grid_on:"):
                    _grid(finding, known.found, choice)
    if known.problem:
        st.caption(f":material/info: How firm these verdicts are cannot be told: {plain(known.problem)}")


def _firm(same: int, others: int, complete: bool) -> str:
    """Under how many other settings a verdict stays, in a short sentence; none where no other is known yet."""
    return f"Stays in {same} of {others} settings{'' if complete else ' so far'}." if others else ""


def _grid(finding: Finding, found: Mapping[Settings, Verdicts], choice: Choice) -> None:
    """The verdict under every setting, the chosen one in frames."""
    same, others = stays(finding.claim, finding.verdict, found, choice.settings)
    st.markdown(f"**{finding.topic}: {finding.verdict}** under {same} of {others} other settings")
    heads = " | ".join(f"strongest {share:.1%}" for share in SHARES)
    lines = [f"| | {heads} |", "|---" * (len(SHARES) + 1) + "|"]
    for with_special in sorted({settings.with_special for settings in found}, reverse=True):
        for label, measure in MEASURES.items():
            row = [Settings(measure, share, with_special, choice.settings.unit) for share in SHARES]
            cells = " | ".join(_cell(finding.claim, found.get(one, {}), one == choice.settings) for one in row)
            lines.append(f"| {label}{'' if with_special else ', special tokens out'} | {cells} |")
    st.markdown("\n".join(lines))
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
        f"A study counts under one setting. The grid is of {len(cache.readings_of_study(choice.study))} of its windows, drawn "
        "at random and read again, each of another text: so little text may differ from the whole corpus even under the "
        "study's own settings."
    )


def _complete(choice: Choice) -> bool:
    known = so_far(choice)
    return bool(known.problem) or len(known.found) == len(sensible(choice.settings.unit))


def _find(choice: Choice, settings: Settings) -> None:
    known = so_far(choice)
    if settings in known.found or known.problem:
        return
    try:
        known.found[settings] = verdicts(_readings(choice), settings)
    except InputError as error:
        known.problem = str(error)


def _readings(choice: Choice) -> list[Reading]:
    if choice.study is not None:
        return cache.readings_of_study(choice.study)
    return [cache.reading(choice.spec, choice.text, choice.language, choice.layout, choice.window)]
