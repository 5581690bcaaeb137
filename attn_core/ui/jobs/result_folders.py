"""Where results lie: a folder of each kind in the project, or one elsewhere that a user names."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Literal

import streamlit as st

from attn_core.errors import InputError
from attn_core.io.paths import PROJECT, typed_path
from attn_core.runs.progress import read_progress
from attn_core.ui.widgets.address import keep_among
from attn_core.ui.widgets.escape import plain

ABLATIONS = "ablations"  # the kind of folder that `ablate` is told to write to
ELSEWHERE = "A folder elsewhere on this machine"


def root(kind: str) -> Path:
    """The folder of studies, series or patterns in the project, unless the environment names another: ATTN_CORE_STUDIES."""
    return Path(os.environ.get(f"ATTN_CORE_{kind.upper()}") or PROJECT / kind)


def choose_below(
    kind: str, label: str, key: str, elsewhere: tuple[str, str, str], width: int | Literal["stretch"] = "stretch"
) -> Path | None:
    """One of the folders of a kind that a command works in or has ended in, or one that the user names.

    elsewhere: as of `choose_elsewhere`.
    """
    names = [*sorted(folder.name for folder in root(kind).glob("*") if read_progress(folder)), ELSEWHERE]
    keep_among(key, names, names[0])
    name = st.selectbox(label, names, key=key, bind="query-params", width=width)
    return choose_elsewhere(*elsewhere) if name == ELSEWHERE else root(kind) / name


def choose_elsewhere(label: str, key: str, example: str) -> Path | None:
    """A field for a folder outside the root; None, and a warning, where there is no such folder."""
    path = st.text_input(label, key=key, bind="query-params", placeholder=example)
    folder = folder_named(path)
    if path.strip() and folder is None:
        st.warning(f"There is no folder {plain(path.strip()[:200])} on this machine.", icon=":material/info:")
    return folder


def folder_named(path: str) -> Path | None:
    """The folder that a user typed, or None where it names none."""
    with suppress(InputError):
        folder = typed_path(path.strip())
        return folder if path.strip() and folder.is_dir() else None
    return None
