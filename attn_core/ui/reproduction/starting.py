"""The form that starts a reproduction, or adds a corpus, models or controls to one that was started here."""

import shlex
from pathlib import Path

import streamlit as st

from attn_core.errors import InputError, cause
from attn_core.models.controls import SEEDS
from attn_core.models.files import BERT, MINILM, local_folder
from attn_core.runs.ownership import read_command
from attn_core.runs.progress import WORKING, read_progress
from attn_core.texts.languages import AUTO
from attn_core.ui.choice import Choice
from attn_core.ui.jobs import background
from attn_core.ui.jobs.corpus_choice import choose_corpus
from attn_core.ui.jobs.result_folders import root
from attn_core.ui.reproduction.choosing import known
from attn_core.ui.widgets.address import chosen_among, keep_among
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.in_words import CONTROLS

NEW = "A new reproduction"
PLANNED = "reproduction_planned"  # what was told last, and of what
MOST_WINDOWS, MOST_TWINS = 64, 9


def begin(choice: Choice) -> None:
    """The form; its first model is the sidebar's."""
    try:
        corpus = choose_corpus()
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    except OSError as error:
        st.caption(f":material/info: The texts cannot be read: {plain(cause(error))}.")
        return
    models = _models(choice)
    left, right = st.columns(2)
    with left:
        chosen_among("with_controls", list(CONTROLS))
        controls = st.pills(
            "Controls", list(CONTROLS), selection_mode="multi", default=list(CONTROLS), key="with_controls", bind="query-params",
            help="Without them nothing tells what is learned and what is language.",
        )  # fmt: skip
    windows = right.number_input(
        "Windows of each text", 1, MOST_WINDOWS, 4, key="first_windows", bind="query-params",
        help="The first pages of many books say more than all pages of one.",
    )  # fmt: skip
    twins = left.number_input(
        "Twins of each kind", 1, MOST_TWINS, SEEDS, key="twins", bind="query-params",
        help=f"Untrained and permuted ones of each model, each of its own seed; {SEEDS} tell how far one differs from the next.",
    )  # fmt: skip
    started = {name: path for name, path in known().items() if read_command(path) and background.is_reproduction(path)}
    keep_among("into", [NEW, *started], NEW)
    target = left.selectbox(
        "Into", [NEW, *started], key="into", bind="query-params", help="What is there stays: it is added to."
    )
    usual = slug(Path(corpus.source).stem)
    name = target
    if target == NEW:
        name = right.text_input("Name", key="reproduction_name", bind="query-params", placeholder=usual) or usual
    busy = [one for one, path in started.items() if (now := read_progress(path)) and now.here and now.status in WORKING]
    command = [
        *background.of_corpus(corpus, AUTO), "--models", *models, "--controls", *(CONTROLS[one] for one in controls),
        "--windows", str(windows), "--twins", str(twins),
    ]  # fmt: skip
    if busy:
        st.caption(f":material/info: {plain(busy[0])} is running: wait for it, or cancel it.")
    _plan(name, command, bool(models))
    if st.button(
        "Start",
        icon=":material/play_arrow:",
        type="primary",
        disabled=bool(busy) or not models,
        key="start-reproduction",
    ):
        try:
            corpus.check()
            folder = _start(name, command, new=target == NEW)
        except (InputError, OSError) as error:
            st.warning(plain(error), icon=":material/info:")
        else:
            st.session_state["reproduction"] = folder.name
            st.rerun()
    st.caption("It runs in the background; this does the same on a command line, where `--workers` and `--dask` help:")
    st.code(
        shlex.join(["python", "-m", "attn_core", "reproduce", *command, "--out", f"reproductions/{slug(name)}"]), "sh",
        wrap_lines=True,
    )  # fmt: skip


def _models(choice: Choice) -> list[str]:
    """The models, as the command is told of them: a folder by its whole path."""
    options = list(dict.fromkeys([choice.spec.name, MINILM, BERT]))
    models = st.multiselect(
        "Models that are read", options, default=options[:1], accept_new_options=True, key="with_models", bind="query-params",
        help="bert-base-uncased is the paper's. Type any other Hugging Face id that is on this machine, or a local folder.",
    )  # fmt: skip
    folders = [local_folder(name) for name in models]
    return [str(folder.absolute()) if folder else name for name, folder in zip(models, folders, strict=True)]


def _start(name: str, command: list[str], new: bool) -> Path:
    if new:
        return background.begin(root(background.REPRODUCTIONS), name, "reproduce", command)
    folder = root(background.REPRODUCTIONS) / name
    background.go_on_with(folder, "reproduce", command)
    return folder


def _plan(name: str, command: list[str], possible: bool) -> None:
    """A button that tells what it would take; what it told stays until something else is asked for."""
    if st.button(
        "What will it take?",
        icon=":material/schedule:",
        type="tertiary",
        key="plan-reproduction",
        disabled=not possible,
    ):
        try:
            with st.spinner("Counting a window with each model", show_time=True):
                told = background.planned(root(background.REPRODUCTIONS) / slug(name), "reproduce", command)
        except (InputError, OSError) as error:
            st.warning(plain(error), icon=":material/info:")
        else:
            st.session_state[PLANNED] = command, told
    asked, lines = st.session_state.get(PLANNED, (None, ""))
    if asked == command:
        for line in lines.splitlines():
            st.caption(f":material/schedule: {plain(line)}")
