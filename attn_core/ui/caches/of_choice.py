"""What is made of a choice, of a text or of a study in its place: clusters, roles, what subjects show side by side.

Keys are small, as in `readings`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.models.controls import Control, twin_of
from attn_core.models.files import TWINS
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.opened import Study
from attn_core.ui.caches import in_folders, readings
from attn_core.ui.choice import Choice, StudyChoice, TextKey

if TYPE_CHECKING:
    from attn_core.comparison.causes import Cause, Contrast
    from attn_core.comparison.match import HeadMatch
    from attn_core.comparison.paired import PairedDifferences
    from attn_core.comparison.subjects import StudySubject, Subject
    from attn_core.measures.clusters import Clustering, Method

SHARES = (0.001, 0.003, 0.01, 0.03, 0.1)  # of strongest pairs, whose curves stand beside each other


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
    """The findings of several studies."""
    from attn_core.comparison import subjects

    return subjects.findings_table(_studies(choices, names))


@st.cache_resource(max_entries=16, show_spinner="Holding the claims against the controls")
def causes(choices: Sequence[Choice], names: Sequence[str]) -> "tuple[list[Cause], list[Contrast], str, pd.DataFrame]":
    """What is learned, what is language; how the first differs from those that are no controls; how few twins there are; all
    of it as a table.
    """
    from attn_core.comparison import causes

    of = _studies(choices, names)
    return causes.causes(of), causes.other_differences(of), causes.few_twins(of), causes.causes_table(of)


def _studies(choices: Sequence[Choice], names: Sequence[str]) -> "list[StudySubject]":
    from attn_core.comparison.subjects import StudySubject

    chosen = [(name, choice.study) for name, choice in zip(names, choices, strict=True) if choice.study]
    return [StudySubject(name, in_folders.study(study)) for name, study in chosen]


def _subjects(choices: Sequence[Choice], names: Sequence[str]) -> "list[Subject]":
    from attn_core.comparison.subjects import Subject

    return [Subject(name, results(choice)) for name, choice in zip(names, choices, strict=True)]


@st.cache_resource(max_entries=8, show_spinner="Pairing the texts of both studies")
def paired(a: StudyChoice, b: StudyChoice) -> "PairedDifferences":
    from attn_core.comparison.paired import paired_differences

    return paired_differences(in_folders.study(a), in_folders.study(b))


def controls_of(choice: Choice) -> dict[Control, Choice]:
    """The twins of a model on the same text, and the model on the shuffled one."""
    twins: dict[Control, Choice] = {kind: replace(choice, spec=twin_of(choice.spec, kind)) for kind in TWINS}
    return twins | {"shuffled": replace(choice, layout="shuffled")}


@st.cache_data(max_entries=16, show_spinner=False)
def claims_compared(choices: Sequence[Choice], names: Sequence[str]) -> pd.DataFrame:
    """The table of the claims in the first of several studies, the others beside it."""
    from attn_core.comparison.causes import claims_beside

    return claims_beside(_studies(choices, names))


def _text(choice: Choice) -> Analysis:
    shown = results(choice)
    assert isinstance(shown, Analysis), "a study keeps no windows"
    return shown
