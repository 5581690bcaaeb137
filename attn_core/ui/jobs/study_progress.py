"""A study on the page while it is at work, and where it has failed: how far it is, why, and the ways to go on."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import streamlit as st

from attn_core.errors import InputError
from attn_core.study.progress import WORKING, Progress, Status, duration, read_progress
from attn_core.ui.jobs.background import LOG, delete, launch, start_anew, stop
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain

ICONS: dict[Status, str] = {
    "starting": ":material/hourglass_top:", "running": ":material/play_circle:", "pooling": ":material/merge:",
    "finished": ":material/check_circle:", "cancelled": ":material/stop_circle:", "failed": ":material/error:",
    "interrupted": ":material/power_off:",
}  # fmt: skip
REFUSED = "study_refused"  # why a button of a study could not do what it says


@st.fragment(run_every=1.0)
def watch(folder: Path) -> None:
    """Progress of a study at work, drawn again every second; the page is drawn anew when it ends."""
    now = read_progress(folder)
    if now is None or now.status not in WORKING:
        st.rerun()
        return
    st.progress(now.done, _said(now))
    if st.button(
        "Cancel", icon=":material/stop:", key="cancel-study", help="What was counted stays: you can go on later."
    ):
        st.toast("The study stops." if stop(folder) else "No process of this machine works on it any more.")


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
    if refused := st.session_state.pop(REFUSED, None):
        st.warning(plain(refused))
    with st.container(horizontal=True):
        st.button(
            "Go on", icon=":material/play_arrow:", type="primary", key="go-on", on_click=_attempt, args=(launch, folder)
        )
        for label, icon, action, loses in (
            (
                "Start anew",
                ":material/restart_alt:",
                start_anew,
                "What was counted is deleted, and counting begins again.",
            ),
            ("Delete", ":material/delete:", delete, "The study is deleted, with all that was counted."),
        ):
            with st.popover(label, icon=icon):
                st.markdown(loses)
                key = f"{slug(label)}-study"
                st.button(f"{label} {plain(folder.name)}", icon=icon, key=key, on_click=_attempt, args=(action, folder))


def _attempt(action: Callable[[Path], None], folder: Path) -> None:
    """Before the page is drawn, so that it is drawn with what has changed."""
    try:
        action(folder)
    except (InputError, OSError) as error:
        st.session_state[REFUSED] = str(error)
    else:
        if not folder.exists():
            st.session_state.pop("study", None)


def _said(now: Progress) -> str:
    if now.status == "starting":
        return "Starting: loading the model and reading the texts once"
    if now.status == "pooling":
        return "Adding up and drawing the intervals"
    left = "" if now.left_seconds is None else f" · {duration(now.left_seconds)} left"
    rate = "" if now.rate is None else f" · {now.rate:.1f} windows a second"
    bad = f" · {now.bad_texts:,} bad texts" if now.bad_texts else ""
    return f"{now.done:.0%} · {now.texts:,} texts in {now.windows:,} windows{bad}{rate}{left}"


def _last_line(log: Path) -> str:
    with suppress(OSError):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "its log is empty")
    return "it left no log"
