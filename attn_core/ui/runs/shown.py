"""A run on a page: which one is chosen, how far it is, why it failed, and what it has written."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.errors import InputError
from attn_core.runs import folder as files
from attn_core.runs.progress import WORKING, read_progress
from attn_core.ui.caches import in_folders
from attn_core.ui.runs import watching
from attn_core.ui.runs.kinds import ELSEWHERE, SERIES, Kind, folder_named
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain


def choose_run(
    kind: Kind, width: int | Literal["stretch"] = "stretch", place: DeltaGenerator | None = None
) -> Path | None:
    """The folder of one of its runs, below the root or elsewhere; None, and why, where the user has named none.

    place: for the list.
    """
    known = kind.known()
    names = [*known, ELSEWHERE]
    with place or nullcontext():
        name = one_of(kind.label, names, kind.key, width=width)
    if name != ELSEWHERE:
        return known[name]
    path = st.text_input("Its folder", key=kind.elsewhere, bind="query-params", placeholder=kind.example)
    folder = folder_named(path)
    if path.strip() and folder is None:
        st.warning(f"There is no folder {plain(path.strip()[:200])} on this machine.", icon=":material/info:")
    return folder


def open_run(kind: Kind, folder: Path | None) -> Any | None:
    """What a run has written, as `open_study` and the like; None where nothing can be shown, and for no folder.

    While it is counted on, what it wrote at its last end; above that how far it is, or why it stopped.
    """
    if folder is None:
        return None
    progress = read_progress(folder)
    unfinished = progress is not None and progress.status != "finished"
    if progress is not None and unfinished:
        if progress.status in WORKING:
            watching.watch(folder)
        else:
            watching.failure(folder, progress)
        if kind is not SERIES and not (folder / files.TABLES).exists():  # a series is shown as far as it is
            return None
    try:
        return in_folders.opened(kind.name, folder)
    except InputError as error:
        st.warning(plain(error), icon=":material/broken_image:")
        if isinstance(error, files.DamagedError) and not unfinished:
            watching.ways_on(folder)
        return None
