"""A run on a page: which one is chosen, how far it is, why it failed and the ways to go on, and what it has written."""

from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.errors import InputError
from attn_core.runs import folder as files
from attn_core.runs.progress import WORKING, Progress, Status, duration, read_progress
from attn_core.ui import readings
from attn_core.ui.runs.background import LOG, delete, launch, stop
from attn_core.ui.runs.kinds import ELSEWHERE, Kind, folder_named, kind_of
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain

ICONS: dict[Status, str] = {
    "starting": ":material/hourglass_top:", "running": ":material/play_circle:", "pooling": ":material/merge:",
    "finished": ":material/check_circle:", "cancelled": ":material/stop_circle:", "failed": ":material/error:",
    "interrupted": ":material/power_off:",
}  # fmt: skip
OUTCOME = "run_outcome"  # what a button of a run did, or why it could not


@st.fragment(run_every=0.5)
def watch(folder: Path) -> None:
    """Progress of a run at work, drawn again twice a second; the page is drawn anew when it ends."""
    now = read_progress(folder)
    if now is None or now.status not in WORKING:
        if now is not None and now.status == "finished":
            st.session_state[OUTCOME] = st.success, f"Finished: {_counted(now)} in {duration(now.seconds)}."
        st.rerun()
        return
    st.progress(now.done, _said(now))
    if st.button(
        "Cancel", icon=":material/stop:", key="cancel-study", help="What was counted stays: you can go on later."
    ):
        st.toast(
            "It stops: what was counted stays." if stop(folder) else "No process of this machine works on it any more."
        )


def failure(folder: Path, progress: Progress) -> None:
    """Why a run is not finished, in one sentence, and a way to go on."""
    sentence = progress.message or (
        f"Its process ended without a word ({_last_line(folder / LOG)}): what was counted is kept."
    )
    show = st.error if progress.status == "failed" else st.warning
    show(f"{plain(sentence)} {progress.done:.0%} was counted.", icon=ICONS[progress.status])
    ways_on(folder)


def ways_on(folder: Path) -> None:
    """Buttons to go on with a run, and to delete it."""
    if kind_of(folder) is None:
        st.caption("It lies elsewhere: go on with it, or delete it, where it was made.")
        return
    with st.container(horizontal=True):
        st.button(
            "Go on", icon=":material/play_arrow:", type="primary", key="go-on", on_click=_attempt, args=(launch, folder)
        )
        _delete_button(folder)


def delete_button(folder: Path) -> None:
    """A button that deletes a finished run once that is confirmed; none for one that is elsewhere.

    One that is not finished has it among its ways on.
    """
    progress = read_progress(folder)
    if kind_of(folder) and (progress is None or progress.status == "finished"):
        _delete_button(folder)


def _delete_button(folder: Path) -> None:
    with st.popover("Delete", icon=":material/delete:"):
        st.markdown("It is deleted, with all that was counted. What you have put into its folder yourself stays.")
        label = f"Delete {plain(folder.name)}"
        st.button(label, icon=":material/delete:", key="delete-study", on_click=_attempt, args=(delete, folder))


def show_outcome() -> None:
    """What the last button of a run did, or why it could not; on top of the page, since the run may be gone."""
    if outcome := st.session_state.pop(OUTCOME, None):
        show, sentence = outcome
        show(plain(sentence), icon=":material/info:")


def _attempt(action: Callable[[Path], str | None], folder: Path) -> None:
    """Before the page is drawn, so that it is drawn with what has changed."""
    try:
        if done := action(folder):
            st.session_state[OUTCOME] = st.info, done
    except InputError as error:
        st.session_state[OUTCOME] = st.warning, str(error)
    except OSError as error:
        st.session_state[OUTCOME] = st.warning, f"{error.filename or folder}: {error.strerror}."
    if (kind := kind_of(folder)) and read_progress(folder) is None:
        st.session_state.pop(kind.key, None)


def _said(now: Progress) -> str:
    if now.status == "starting":
        return "Starting: loading the model and reading the texts once"
    if now.status == "pooling":
        return "Adding up and drawing the intervals"
    left = "" if now.left_seconds is None else f" · {duration(now.left_seconds)} left"
    rate = "" if now.rate is None else f" · {now.rate:.1f} windows a second"
    return f"{now.done:.0%} · {_counted(now)}{rate}{left}"


def _counted(now: Progress) -> str:
    bad = f" · {now.bad_texts:,} left out" if now.bad_texts else ""
    return f"{now.texts:,} texts in {now.windows:,} windows{bad}"


def _last_line(log: Path) -> str:
    with suppress(OSError):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "its log is empty")
    return "it left no log"


def choose_run(
    kind: Kind,
    width: int | Literal["stretch"] = "stretch",
    place: DeltaGenerator | None = None,
    among: Callable[[Path], bool] = Path.is_dir,
) -> Path | None:
    """The folder of one of its runs, below the root or elsewhere; None, and why, where the user has named none.

    place: for the list. among: which of them are offered.
    """
    known = {name: folder for name, folder in kind.known().items() if among(folder)}
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
    """What a run has written, as `Study.open` and the like; None where nothing can be shown, and for no folder.

    While it is counted on, what it wrote at its last end; above that how far it is, or why it stopped.
    """
    if folder is None:
        return None
    progress = read_progress(folder)
    unfinished = progress is not None and progress.status != "finished"
    if progress is not None and unfinished:
        if progress.status in WORKING:
            watch(folder)
        else:
            failure(folder, progress)
        if not (folder / files.TABLES).is_dir():
            return None
    try:
        return readings.opened(kind.name, folder)
    except InputError as error:
        st.warning(plain(error), icon=":material/broken_image:")
        if isinstance(error, files.DamagedError) and not unfinished:
            ways_on(folder)
        return None
