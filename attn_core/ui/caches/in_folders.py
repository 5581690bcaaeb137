"""Results that lie in folders, opened once for all sessions."""

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st

from attn_core.analysis.reading import Reading
from attn_core.runs.folder import MANIFEST, TABLES
from attn_core.series.folder import STEPS
from attn_core.study.opened import Study
from attn_core.study.reread import read_again, sample_places, spec_of, texts_again
from attn_core.ui.caches import models_held
from attn_core.ui.choice import StudyChoice

OPENERS = {  # imported when one is opened
    "study": "attn_core.study.opened:open_study",
    "patterns": "attn_core.patterns.opened:open_patterns",
    "ablation": "attn_core.interventions.opened:open_ablation",
    "reproduction": "attn_core.reproduction.opened:open_reproduction",
    "series": "attn_core.series.opened:open_series",
}
READ_AGAIN = 8  # windows of a study


def opened(kind: str, folder: Path) -> Any:
    """What a run of a kind has written, as the openers of `OPENERS` give it. Raises InputError as they do."""
    places = [place for place in (folder / MANIFEST, folder / TABLES, folder / STEPS) if place.exists()]
    return _opened(kind, folder, max((place.stat().st_mtime_ns for place in places), default=0))


@st.cache_resource(max_entries=16, show_spinner="Opening the folder")
def _opened(kind: str, folder: Path, made: int) -> Any:  # noqa: ARG001
    """made: when it was written, since a folder may get another run."""
    module, _, opener = OPENERS[kind].partition(":")
    return getattr(import_module(module), opener)(folder)


def study(chosen: StudyChoice) -> Study:
    """A finished study."""
    return _opened("study", chosen.folder, chosen.made)


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
