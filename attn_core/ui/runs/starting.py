"""What every form of a new run ends with: what it would take, the button that starts it, and its command line."""

import shlex
from pathlib import Path

import streamlit as st

from attn_core.errors import InputError
from attn_core.ui.runs import background
from attn_core.ui.runs.kinds import Kind
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain

PLANNED = "planned"  # in the session: by kind the command that was planned last, and what it would take


def offer_run(kind: Kind, name: str, command: list[str], into: Path | None = None, plan: str = "") -> None:
    """Start a run in the background, and open it.

    command: its options. into: the folder of an earlier run that it adds to, in place of a new one. plan: what is done to find
    out what it would take; empty where its command cannot tell.
    """
    busy = kind.at_work()
    if busy:
        st.caption(f":material/info: {plain(busy[0])} is running: wait for it, or cancel it.")
    with st.container(horizontal=True):
        start = st.button(
            "Start", icon=":material/play_arrow:", type="primary", disabled=bool(busy), key=f"start-{kind.name}"
        )
        wanted = bool(plan) and st.button(
            "What will it take?", icon=":material/schedule:", type="tertiary", key=f"plan-{kind.name}"
        )
    if start:
        _start(kind, name, command, into)
    if plan:
        _plan(kind, name, command, plan, wanted)
    st.caption("It runs in the background. On a command line, where `--workers` and `--dask` help:")
    shown = ["python", "-m", "attn_core", kind.command, *command, "--out", f"{kind.folders}/{slug(name)}"]
    st.code(shlex.join(shown), "sh", wrap_lines=True)


def _start(kind: Kind, name: str, command: list[str], into: Path | None) -> None:
    try:
        if into is None:
            folder = background.begin(kind, name, command)
        else:
            background.go_on_with(folder := into, command)
    except (InputError, OSError) as error:
        st.warning(plain(error), icon=":material/info:")
        return
    st.session_state[kind.key] = folder.name
    if kind.place:
        st.session_state[f"open-{kind.place}"] = True
    st.rerun()


def _plan(kind: Kind, name: str, command: list[str], doing: str, wanted: bool) -> None:
    """What the run would take, once it is wanted and until something else is asked for."""
    plans = st.session_state.setdefault(PLANNED, {})
    if wanted:
        try:
            with st.spinner(doing, show_time=True):
                plans[kind.name] = command, background.planned(kind, name, command)
        except (InputError, OSError) as error:
            st.warning(plain(error), icon=":material/info:")
    planned, lines = plans.get(kind.name, (None, ""))
    if planned == command:
        for line in lines.splitlines():
            st.caption(f":material/schedule: {plain(line)}")
