"""A study on the page while it is at work, and where it has failed: how far it is, why, and the ways to go on."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import streamlit as st

from attn_core.errors import InputError
from attn_core.runs.progress import WORKING, Progress, Status, duration, read_progress
from attn_core.ui.jobs.background import LOG, delete, is_reproduction, launch, lies_here, start_anew, stop
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain

ICONS: dict[Status, str] = {
    "starting": ":material/hourglass_top:", "running": ":material/play_circle:", "pooling": ":material/merge:",
    "finished": ":material/check_circle:", "cancelled": ":material/stop_circle:", "failed": ":material/error:",
    "interrupted": ":material/power_off:",
}  # fmt: skip
TOLD = "study_told"  # what a button of a study did, or why it could not


@st.fragment(run_every=0.5)
def watch(folder: Path) -> None:
    """Progress of a study at work, drawn again twice a second; the page is drawn anew when it ends."""
    now = read_progress(folder)
    if now is None or now.status not in WORKING:
        if now is not None and now.status == "finished":
            st.session_state[TOLD] = st.success, f"Finished: {_counted(now)} in {duration(now.seconds)}."
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
    """Why a study is not finished, in one sentence, and a way to go on."""
    sentence = progress.message or (
        f"The process of this study ended without a word ({_last_line(folder / LOG)}): what was counted is kept."
    )
    show = st.error if progress.status == "failed" else st.warning
    show(f"{plain(sentence)} {progress.done:.0%} was counted.", icon=ICONS[progress.status])
    ways_on(folder)


def ways_on(folder: Path) -> None:
    """Buttons to go on with a study, to start it anew, and to delete it."""
    if not lies_here(folder):
        st.caption("It lies elsewhere: go on with it, or delete it, where it was made.")
        return
    with st.container(horizontal=True):
        st.button(
            "Go on", icon=":material/play_arrow:", type="primary", key="go-on", on_click=_attempt, args=(launch, folder)
        )
        if not is_reproduction(folder):  # which has the readings of several commands
            loses = "What was counted is deleted, and counting begins again."
            _confirmed("Start anew", ":material/restart_alt:", start_anew, folder, loses)
        delete_button(folder)


def delete_button(folder: Path) -> None:
    """A button that deletes a study once that is confirmed; none for a study that lies elsewhere."""
    if lies_here(folder):
        loses = "It is deleted, with all that was counted. What you have put into its folder yourself stays."
        _confirmed("Delete", ":material/delete:", delete, folder, loses)


def tell() -> None:
    """What the last button of a study did, or why it could not; on top of the page, since the study may be gone."""
    if told := st.session_state.pop(TOLD, None):
        show, sentence = told
        show(plain(sentence), icon=":material/info:")


def _confirmed(label: str, icon: str, action: Callable[[Path], str | None], folder: Path, loses: str) -> None:
    with st.popover(label, icon=icon):
        st.markdown(loses)
        key = f"{slug(label)}-study"
        st.button(f"{label} {plain(folder.name)}", icon=icon, key=key, on_click=_attempt, args=(action, folder))


def _attempt(action: Callable[[Path], str | None], folder: Path) -> None:
    """Before the page is drawn, so that it is drawn with what has changed."""
    try:
        if done := action(folder):
            st.session_state[TOLD] = st.info, done
    except InputError as error:
        st.session_state[TOLD] = st.warning, str(error)
    except OSError as error:
        st.session_state[TOLD] = st.warning, f"{error.filename or folder}: {error.strerror}."
    if read_progress(folder) is None:
        st.session_state.pop("reproduction" if is_reproduction(folder) else "study", None)


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
