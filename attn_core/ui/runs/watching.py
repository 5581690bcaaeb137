"""A run on a page: which one is chosen, how far it is, why it failed and the ways to go on, and what it has written."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from attn_core.errors import InputError
from attn_core.io.atomic_files import read_bytes
from attn_core.io.paths import typed_path
from attn_core.runs import folder as run_folder
from attn_core.runs.folder import Kind
from attn_core.runs.progress import Progress, duration, read_progress
from attn_core.ui import readings
from attn_core.ui.runs.background import LOG, delete, is_of_dashboard, known, launch, read_command, stop
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain

ELSEWHERE = "A folder elsewhere on this machine"
OUTCOME = "run_outcome"  # what a button of a run did, or why it could not


def choose_run(
    kind: Kind,
    label: str,
    key: str,
    width: int | Literal["stretch"] = "stretch",
    among: Callable[[Path], bool] = Path.is_dir,
) -> Path | None:
    """The chosen folder of a run of a kind; None, with the reason on the page, where the user names no folder.

    key: of the widget and in the address. among: whether a folder is offered.
    """
    offered = {name: folder for name, folder in known(kind).items() if among(folder)}
    name = one_of(label, [*offered, ELSEWHERE], key, width=width)
    if name != ELSEWHERE:
        return offered[name]
    path = st.text_input("Its folder", key=f"{key}_folder", bind="query-params", placeholder=f"/home/me/{kind.name}")
    if path := path.strip():
        with suppress(InputError):
            if (folder := typed_path(path)).is_dir():
                return folder
        st.warning(f"There is no folder {plain(path[:200])} on this machine.", icon=":material/info:")
    return None


def open_run(kind: Kind, folder: Path | None) -> Any | None:
    """The study or ablation in a folder; None without a folder, and where nothing can be shown yet.

    Draws the progress of an unfinished run, or why it stopped; its tables are those of the last time it finished.
    """
    if folder is None:
        return None
    progress = read_progress(folder)
    unfinished = progress is not None and progress.status != "finished"
    if progress is not None and unfinished:
        if progress.at_work:
            watch(folder)
        else:
            _failure(folder, progress)
        if not (folder / run_folder.TABLES).is_dir():
            return None
    try:
        return readings.opened(kind.name, folder)
    except InputError as error:
        st.warning(plain(error), icon=":material/broken_image:")
        if isinstance(error, run_folder.DamagedError) and not unfinished:
            _ways_on(folder)
        return None


@st.fragment(run_every=0.5)
def watch(folder: Path) -> None:
    """Draw the progress of a run at work twice a second, and the whole page again when it ends."""
    now = read_progress(folder)
    if now is None or not now.at_work:
        if now is not None and now.status == "finished":
            st.session_state[OUTCOME] = st.success, f"Finished: {now.counts} in {duration(now.seconds)}."
            st.session_state["tab"] = "Claims"  # by which a study opens
        st.rerun()
        return
    st.progress(now.done, plain(now))
    if st.button("Cancel", icon=":material/stop:", key="cancel-study", help="What was counted stays for later."):
        st.toast("It stops: what was counted stays." if stop(folder) else "No process here works on it any more.")


def _failure(folder: Path, progress: Progress) -> None:
    """Draw why a run is not finished, in one sentence, and buttons to resume or delete it."""
    sentence = progress.message or (
        f"Its process ended without a word ({_last_line(folder / LOG)}): what was counted is kept."
    )
    show = st.error if progress.status == "failed" else st.warning
    show(f"{plain(sentence)} {progress.done:.0%} was counted.", icon=":material/error:")
    _ways_on(folder)


def _ways_on(folder: Path) -> None:
    """Draw buttons that resume a run, if a page has started it, and delete it."""
    if not is_of_dashboard(folder):
        st.caption("It lies elsewhere: go on with it, or delete it, where it was made.")
        return
    with st.container(horizontal=True):
        if read_command(folder):
            look: Any = {"icon": ":material/play_arrow:", "type": "primary", "key": "go-on"}
            st.button("Go on", on_click=_attempt, args=(launch, folder), **look)
        _delete_button(folder)


def delete_button(folder: Path) -> None:
    """Draw a button that deletes a finished run; `open_run` draws that of an unfinished one."""
    progress = read_progress(folder)
    if is_of_dashboard(folder) and (progress is None or progress.status == "finished"):
        _delete_button(folder)


def _delete_button(folder: Path) -> None:
    with st.popover("Delete", icon=":material/delete:"):
        st.markdown("It is deleted, with all that was counted. Where its folder holds other files, nothing is deleted.")
        label = f"Delete {plain(folder.name)}"
        st.button(label, icon=":material/delete:", key="delete-study", on_click=_attempt, args=(delete, folder))


def _attempt(action: Callable[[Path], str | None], folder: Path) -> None:
    """Resume or delete a run, and keep a sentence about the outcome. As a callback it runs before the page."""
    try:
        if done := action(folder):
            st.session_state[OUTCOME] = st.info, done
    except InputError as error:
        st.session_state[OUTCOME] = st.warning, str(error)
    except OSError as error:
        st.session_state[OUTCOME] = st.warning, f"{error.filename or folder}: {error.strerror}."


def show_outcome() -> None:
    """Draw what the last button of a run did, or why it could not; the run may be gone by now."""
    if outcome := st.session_state.pop(OUTCOME, None):
        show, sentence = outcome
        show(plain(sentence), icon=":material/info:")


def _last_line(log: Path) -> str:
    with suppress(OSError):
        lines = read_bytes(log).decode("utf-8", errors="replace").splitlines()
        return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "its log is empty")
    return "it left no log"
