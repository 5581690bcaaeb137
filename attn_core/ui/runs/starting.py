"""The form of a new run: its texts, the button that starts it, and its command line."""

import shlex
from dataclasses import replace
from pathlib import Path

import streamlit as st

from attn_core.errors import InputError, cause
from attn_core.io.paths import shown, typed_path
from attn_core.runs import folder as files
from attn_core.runs.folder import Kind
from attn_core.study.corpus import Corpus, Documents
from attn_core.study.text_files import DEFAULT_COLUMN, is_table
from attn_core.texts import own_texts
from attn_core.texts.documents import SAMPLES_FOLDER
from attn_core.ui.runs import background
from attn_core.ui.runs.background import STUDY, at_work, root_of
from attn_core.ui.runs.watching import OUTCOME
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.show import slug
from attn_core.ui.widgets.uploads import Upload, digest, uploaded

SAMPLES = "The sample texts of the dashboard"
ON_DISK = "A folder or file on this machine"
UPLOADED = "Files that I upload"
MINE = "My texts"
UPLOADS = "uploaded texts"  # the folder beside the studies that keeps them
DOCUMENTS: dict[Documents, str] = {"file": "a file", "blank-line": "a block between blank lines", "line": "a line"}


def offer_run(kind: Kind, name: str, command: list[str]) -> None:
    """A button that starts a run in the background and opens it, and its command line. command: its options."""
    busy = at_work(kind)
    if busy:
        st.caption(f":material/info: {plain(busy[0])} is running: wait for it, or cancel it.")
    st.button(
        "Start", icon=":material/play_arrow:", type="primary", disabled=bool(busy), key=f"start-{kind.name}",
        on_click=_start, args=(kind, name, command),
    )  # fmt: skip
    st.caption("It runs in the background. On a command line, where `--workers` and `--dask` help:")
    typed = ["python", "-m", "attn_core", kind.command, *command, "--out", f"{kind.folders}/{slug(name)}"]
    st.code(shlex.join(typed), "sh", wrap_lines=True)


def _start(kind: Kind, name: str, command: list[str]) -> None:
    """Before the page is drawn, so that it opens what is started."""
    try:
        folder = background.begin(kind, name, command)
    except (InputError, OSError) as error:
        st.session_state[OUTCOME] = st.warning, str(error)
        return
    st.session_state[kind.name] = folder.name  # the key of what chooses one


def choose_corpus() -> Corpus | None:
    """Widgets for the texts of a new run; None, and why, where there is nothing to read."""
    try:
        corpus = _choose()
        corpus.check()
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
    except OSError as error:
        st.caption(f":material/info: The texts cannot be read: {plain(cause(error))}.")
    else:
        return corpus
    return None


def _choose() -> Corpus:
    sources = [SAMPLES, *([MINE] if own_texts.every() else []), ON_DISK, UPLOADED]
    source = one_of("Texts", sources, "corpus_source")
    if source == SAMPLES:
        return Corpus(str(SAMPLES_FOLDER))
    folder = {MINE: own_texts.folder, ON_DISK: _choose_path, UPLOADED: _uploaded}[source]()
    left, right = st.columns(2)
    kinds = {label: kind for kind, label in DOCUMENTS.items()}
    documents = kinds[
        left.selectbox("In a text file, one text is", list(kinds), key="corpus_documents", bind="query-params")
    ]
    corpus = Corpus(str(folder), None, documents)
    tables = [file for file in corpus.files if is_table(file)]
    if tables:
        if not corpus.columns:
            raise InputError(f"No column of texts is in all {len(tables):,} tables there: study them one by one.")
        usual = DEFAULT_COLUMN if DEFAULT_COLUMN in corpus.columns else corpus.columns[0]
        with right:
            column = one_of("Column of tables that holds the texts", corpus.columns, "corpus_column", usual)
        corpus = replace(corpus, column=column)
    groups = st.text_input(
        "What tells which texts are of one work",
        key="corpus_groups",
        bind="query-params",
        placeholder=r"folder, a column, or an expression such as (.*?)[ _-]*\d+",
        help="Intervals are then over works: say folder, name a column of the tables, or give a regular expression "
        "whose first group is the work in a file's name. Empty: every text is a work.",
    )
    corpus = replace(corpus, groups=groups.strip() or None)
    if source == MINE:
        st.caption("Pairs to read that a study keeps of them stay when a text is deleted: delete the study too.")
    describe_files = "1 file" if len(corpus.files) == 1 else f"{len(corpus.files):,} files"
    st.caption(f"{describe_files}, {corpus.size / 1e6:,.1f} MB, in {plain(shown(corpus.source))}")
    return corpus


def _choose_path() -> Path:
    path = st.text_input(
        "Folder, glob or file",
        key="corpus_path",
        bind="query-params",
        placeholder="/home/me/novels, /home/me/*.txt, reviews.parquet",
        help="Text files (.txt, .md, also packed as .xz, .gz or .bz2) and tables (.jsonl, .csv, .parquet).",
    )
    if not path.strip():
        raise InputError("Name a folder, a glob or a file with texts.")
    return typed_path(path.strip()).absolute()


def _uploaded() -> Path:
    """The folder that keeps the files a user has chosen, named by what is in them."""
    folder = uploaded(
        "Texts and tables", "corpus_upload", many=True, keep=_written,
        explanation=f"At most 5 MB a file. They are kept in the folder {UPLOADS} beside the studies.",
    )  # fmt: skip
    if folder is None:
        raise InputError("Choose one or more files.")
    return folder


def _written(uploads: list[Upload]) -> Path:
    folder = root_of(STUDY) / UPLOADS / digest(uploads)[:12]
    if not folder.is_dir():
        files.write_folder(
            folder, {f"{number:03d} {Path(one.name).name}": one.data for number, one in enumerate(uploads, 1)}
        )
    return folder
