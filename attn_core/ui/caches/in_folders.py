"""Results that lie in folders, opened once for all sessions."""

from pathlib import Path
from typing import Any

import streamlit as st

from attn_core.runs.folder import MANIFEST, TABLES
from attn_core.runs.kinds import KINDS, named
from attn_core.series.folder import STEPS
from attn_core.study.opened import Study
from attn_core.study.reread import texts_again
from attn_core.ui.choice import StudyChoice


def opened(kind: str, folder: Path) -> Any:
    """What a run of a kind has written. Raises InputError as `Results.open`."""
    places = [place for place in (folder / MANIFEST, folder / TABLES, folder / STEPS) if place.exists()]
    return _opened(kind, folder, max((place.stat().st_mtime_ns for place in places), default=0))


@st.cache_resource(max_entries=16, show_spinner="Opening the folder")
def _opened(kind: str, folder: Path, made: int) -> Any:  # noqa: ARG001
    """made: when it was written, since a folder may get another run."""
    return named(KINDS[kind].results).open(folder)


def study(chosen: StudyChoice) -> Study:
    """A finished study."""
    return _opened("study", chosen.folder, chosen.made)


@st.cache_data(max_entries=16, show_spinner="Looking for the text in its corpus")
def study_text(chosen: StudyChoice, number: int) -> tuple[str, tuple[str, ...]]:
    """The name of a text of a study, counted from 0, and its parts."""
    return texts_again(study(chosen).manifest, {number})[number]
