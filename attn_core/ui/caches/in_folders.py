"""Results that lie in folders, opened once for all sessions."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from attn_core.analysis.reading import Reading
from attn_core.study.opened import Study, open_study
from attn_core.study.reread import read_again, sample_places, spec_of, texts_again
from attn_core.ui.caches import models_held
from attn_core.ui.choice import StudyChoice

if TYPE_CHECKING:
    from attn_core.interventions.opened import Ablation
    from attn_core.patterns.opened import PatternScores

READ_AGAIN = 8  # windows of a study


@st.cache_resource(max_entries=4, show_spinner=False)
def pattern_scores(chosen: StudyChoice) -> "PatternScores":
    """The scores of annotated texts in a folder."""
    from attn_core.patterns.opened import open_patterns

    return open_patterns(chosen.folder)


@st.cache_resource(max_entries=8, show_spinner=False)
def ablation(chosen: StudyChoice) -> "Ablation":
    """What heads that were removed over many texts did, in a folder."""
    from attn_core.interventions.opened import open_ablation

    return open_ablation(chosen.folder)


@st.cache_resource(max_entries=4, show_spinner=False)
def study(chosen: StudyChoice) -> Study:
    return open_study(chosen.folder)


@st.cache_data(max_entries=16, show_spinner="Looking for the text in its corpus")
def study_text(chosen: StudyChoice, number: int) -> tuple[str, tuple[str, ...]]:
    """The name of a text of a study, counted from 0, and its parts."""
    return texts_again(study(chosen).manifest, {number})[number]


@st.cache_resource(max_entries=2, show_spinner=False)
def readings_of_study(chosen: StudyChoice) -> list[Reading]:
    """A few windows of a study at random, read again by its model."""
    made = study(chosen)
    spec = spec_of(made.manifest)
    readings = read_again(made, models_held.model(spec), sample_places(made.examples, READ_AGAIN))
    return [reading.without_weights(partial(models_held.model, spec)) for reading in readings]
