"""What is made of a choice, of a text or of a study in its place: clusters, roles, what subjects show side by side; and the
verdicts under the other sensible settings, found in the background while a page is looked at.

Keys are small, as in `readings`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.errors import InputError
from attn_core.findings.robustness import SoFar, sensible, verdicts
from attn_core.measures.token_coverage import Ranking
from attn_core.measures.uniqueness import uniqueness_table
from attn_core.models.controls import NAMES, Control, control_of, twin_of
from attn_core.models.files import TWINS, Twin
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.opened import Study
from attn_core.ui.caches import in_folders, readings
from attn_core.ui.choice import Choice, StudyChoice, TextKey

if TYPE_CHECKING:
    from attn_core.comparison.causes import Cause, Contrast
    from attn_core.comparison.match import HeadMatch
    from attn_core.comparison.paired import PairedDifferences
    from attn_core.comparison.subjects import Subject
    from attn_core.measures.clusters import Clustering, Method

SHARES = (0.001, 0.003, 0.01, 0.03, 0.1)  # of strongest pairs, whose curves stand beside each other


@st.cache_resource(max_entries=32, show_spinner=False)
def verdicts_so_far(choice: Choice) -> SoFar:  # noqa: ARG001
    """What is known of how firm the verdicts on a choice are; filled in the background."""
    return SoFar()


def results(choice: Choice) -> Analysis | Study:
    """What stands on a page that shows the statistics of heads: those of the text, or of a study in its place."""
    if choice.study is not None:
        return in_folders.study(choice.study)
    return readings.analysis(choice.key, choice.settings)


@st.cache_data(max_entries=64, show_spinner=False)
def layers(key: TextKey, settings: Settings) -> pd.DataFrame:
    """The layers table alone, for comparing many settings without keeping their strong pairs."""
    return analyze_reading(readings.reading(key), settings).layers


def layers_by_share(choice: Choice) -> pd.DataFrame:
    """The layers table of every share, with a column share; the chosen share is among them. One reading serves all."""
    shares = sorted({*SHARES, choice.settings.share})
    return pd.concat(
        [layers(choice.key, replace(choice.settings, share=share)).assign(share=share) for share in shares],
        ignore_index=True,
    )


@st.cache_resource(max_entries=16, show_spinner=False)
def clustering(choice: Choice, method: "Method", number: int | None) -> "Clustering":
    from attn_core.measures.clusters import cluster_heads  # scikit-learn takes seconds to import

    return cluster_heads(results(choice).statistics, method, number)


@st.cache_resource(max_entries=8, show_spinner="Matching the heads")
def head_match(a: Choice, b: Choice) -> "HeadMatch":
    """Every head of the one with every head of the other, over the words that both read."""
    from attn_core.comparison.match import match_heads

    first, second = _text(a), _text(b)
    return match_heads(first.reading, second.reading, (a.settings.measure, b.settings.measure))


@st.cache_data(max_entries=16, show_spinner=False)
def curves(choices: Sequence[Choice], names: Sequence[str]) -> pd.DataFrame:
    """The statistics of several subjects by depth; names: what each is called."""
    from attn_core.comparison import subjects

    return subjects.curves(_subjects(choices, names))


@st.cache_data(max_entries=16, show_spinner=False)
def findings_table(choices: Sequence[Choice], names: Sequence[str]) -> pd.DataFrame:
    """The findings of several subjects."""
    from attn_core.comparison import subjects

    return subjects.findings_table(_subjects(choices, names))


@st.cache_resource(max_entries=16, show_spinner="Holding the claims against the controls")
def causes(choices: Sequence[Choice], names: Sequence[str]) -> "tuple[list[Cause], list[Contrast], str, pd.DataFrame]":
    """What is learned, what is language; how the first differs from those that are no controls; how few twins there are; all
    of it as a table.
    """
    from attn_core.comparison import causes

    of = _subjects(choices, names)
    return causes.causes(of), causes.other_differences(of), causes.few_twins(of), causes.causes_table(of)


def _subjects(choices: Sequence[Choice], names: Sequence[str]) -> "list[Subject]":
    from attn_core.comparison.subjects import Subject

    return [Subject(name, results(choice)) for name, choice in zip(names, choices, strict=True)]


@st.cache_resource(max_entries=8, show_spinner="Pairing the texts of both studies")
def paired(a: StudyChoice, b: StudyChoice) -> "PairedDifferences":
    from attn_core.comparison.paired import paired_differences

    return paired_differences(in_folders.study(a), in_folders.study(b))


def twin_if_read(choice: Choice, kind: Twin) -> Analysis | None:
    """A twin's analysis of the same text, where it is known by now: nothing is read for it."""
    return controls_if_counted(choice).get(kind)


def nulls_if_counted(choice: Choice) -> dict[str, Analysis]:
    """Networks that never learned, of `controls_if_counted`, by what they are called."""
    known = controls_if_counted(choice)
    return {NAMES[kind]: known[kind] for kind in TWINS if kind in known}


def controls_if_counted(choice: Choice) -> dict[Control, Analysis]:
    """The controls of a text, where their pairs were chosen under these settings too: a page that only names their numbers
    waits for nothing."""
    if choice.study is not None or control_of(choice.spec, choice.layout) is not None:
        return {}
    return dict(_counted_controls(choice))


def count_control(choice: Choice, kind: Control) -> None:
    """Read a text as a control does, so that `controls_if_counted` knows it."""
    _counted_controls(choice)[kind] = _text(controls_of(choice)[kind])


def controls_of(choice: Choice) -> dict[Control, Choice]:
    """The twins of a model on the same text, and the model on the shuffled one."""
    twins: dict[Control, Choice] = {kind: replace(choice, spec=twin_of(choice.spec, kind)) for kind in TWINS}
    return twins | {"shuffled": replace(choice, layout="shuffled")}


@st.cache_resource(max_entries=4, show_spinner=False)
def _counted_controls(choice: Choice) -> dict[Control, Analysis]:  # noqa: ARG001
    """The controls beside a choice, once they are known."""
    return {}


def claims(choice: Choice) -> pd.DataFrame:
    """The table that the picture of the claims is drawn from, with the controls that are counted."""
    return _claims(choice, tuple(controls_if_counted(choice)))


@st.cache_data(max_entries=32, show_spinner=False)
def _claims(choice: Choice, kinds: Sequence[Control]) -> pd.DataFrame:
    from attn_core.comparison.causes import claims_beside
    from attn_core.comparison.subjects import Subject

    shown, known = results(choice), controls_if_counted(choice)
    return claims_beside([Subject("", shown), *(Subject(NAMES[kind], known[kind]) for kind in kinds)])


@st.cache_data(max_entries=16, show_spinner=False)
def claims_compared(choices: Sequence[Choice], names: Sequence[str]) -> pd.DataFrame:
    """The same of the first of several subjects, the others beside it."""
    from attn_core.comparison.causes import claims_beside

    return claims_beside(_subjects(choices, names))


@st.cache_data(max_entries=64, show_spinner=False)
def uniqueness(choice: Choice, by: Ranking) -> pd.DataFrame:
    return uniqueness_table(_text(choice).windows, by)


def _text(choice: Choice) -> Analysis:
    shown = results(choice)
    assert isinstance(shown, Analysis), "a study keeps no windows"
    return shown


def under_other_settings(choice: Choice) -> SoFar:
    """What is known of a choice; settings differ within it, so that a change of them loses nothing."""
    known = verdicts_so_far(replace(choice, title="", settings=Settings()))
    if choice.study is None and readings.takes_long(choice.key):
        known.problem = "each other setting would take as long again as this text did."
    return known


def other_settings_steps(choice: Choice) -> Iterator[Callable[[], object]]:
    """Find the verdicts under each of the sensible settings."""
    for settings in sensible(choice.settings):
        yield partial(_find, choice, settings)


def other_settings_complete(choice: Choice) -> bool:
    """Whether nothing more will be known."""
    known = under_other_settings(choice)
    return bool(known.problem) or all(settings in known.verdicts for settings in sensible(choice.settings))


def _find(choice: Choice, settings: Settings) -> None:
    known = under_other_settings(choice)
    if settings in known.verdicts or known.problem:
        return
    try:
        of = in_folders.readings_of_study(choice.study) if choice.study else [readings.reading(choice.key)]
        known.verdicts[settings] = verdicts(of, settings)
    except InputError as error:
        known.problem = str(error)
