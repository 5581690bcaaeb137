"""The form that starts a reproduction, or adds a corpus, models or controls to one that was started here."""

from pathlib import Path

import streamlit as st

from attn_core.io.paths import local_folder
from attn_core.models.controls import SEEDS
from attn_core.models.files import BERT, MINILM, default_spec
from attn_core.options import to_argv
from attn_core.runs.ownership import read_command
from attn_core.texts.languages import AUTO
from attn_core.ui.runs import background
from attn_core.ui.runs.kinds import REPRODUCTION, kind_of
from attn_core.ui.runs.starting import choose_corpus, offer_run
from attn_core.ui.widgets.address import chosen, chosen_among
from attn_core.ui.widgets.controls import number_input, one_of
from attn_core.ui.widgets.downloads import CONTROLS, slug

NEW = "A new reproduction"
MOST_WINDOWS, MOST_TWINS = 64, 9


def begin() -> None:
    """The form; its first model is that of the pages about a text."""
    if (corpus := choose_corpus()) is None:
        return
    models = _models()
    chosen_among("with_controls", list(CONTROLS))
    controls = st.pills(
        "Controls", list(CONTROLS), selection_mode="multi", default=list(CONTROLS), key="with_controls", bind="query-params",
        help="Without them nothing tells what is learned and what is language.",
    )  # fmt: skip
    left, right = st.columns(2)
    with right:
        windows = number_input(
            "Windows of each text", 1, MOST_WINDOWS, 4, key="first_windows",
            help="The first pages of many books say more than all pages of one.",
        )  # fmt: skip
    earlier = {name: path for name, path in REPRODUCTION.known().items() if kind_of(path) and read_command(path)}
    with left:
        twins = number_input(
            "Twins of each kind", 1, MOST_TWINS, SEEDS, key="twins",
            help=f"Untrained and permuted ones of each model, each of its own seed; {SEEDS} tell how far one differs from the "
            "next.",
        )  # fmt: skip
        into = one_of("Into", [NEW, *earlier], "into", help="What is there stays: it is added to.")
    usual = slug(Path(corpus.source).stem)
    name = into
    if into == NEW:
        name = right.text_input("Name", key="reproduction_name", bind="query-params", placeholder=usual) or usual
    if not models:
        return
    command = [
        *background.of_corpus(corpus, AUTO), "--models", *models, "--controls", *(CONTROLS[one] for one in controls),
        *to_argv({"windows": windows, "twins": twins}),
    ]  # fmt: skip
    offer_run(REPRODUCTION, name, command, earlier.get(into), "Counting a window with each model")


def _models() -> list[str]:
    """The models, as options of the command: a folder by its whole path."""
    options = list(dict.fromkeys([chosen("model") or default_spec().name, MINILM, BERT]))
    models = st.multiselect(
        "Models that are read", options, default=options[:1], accept_new_options=True, key="with_models", bind="query-params",
        help="bert-base-uncased is the paper's. Type any other Hugging Face id that is on this machine, or a local folder.",
    )  # fmt: skip
    folders = [local_folder(name) for name in models]
    return [str(folder.absolute()) if folder else name for name, folder in zip(models, folders, strict=True)]
