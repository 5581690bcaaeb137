"""The form that starts a study: its texts, its models, what is counted, and its command line."""

import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from attn_core.commands.options import to_argv
from attn_core.errors import InputError, cause
from attn_core.io.paths import printable, typed_path
from attn_core.models.baselines import CONTROLS, Control
from attn_core.models.files import BERT, MINILM, STACKS
from attn_core.patterns.rules import BY_NAME
from attn_core.runs.folder import write_folder
from attn_core.runs.progress import read_progress
from attn_core.study.corpus import Corpus, Documents, files_at
from attn_core.study.descriptions import default_name, describe_layout, describe_settings, describe_short, short_name
from attn_core.study.settings import layouts_of
from attn_core.study.subjects import spec_named, with_baselines
from attn_core.study.text_tables import DEFAULT_COLUMN, is_table
from attn_core.texts import own_texts
from attn_core.texts.documents import SAMPLES_FOLDER
from attn_core.texts.passages import Layout
from attn_core.ui.readings import Choice
from attn_core.ui.runs import background
from attn_core.ui.runs.background import STUDY, known, root_of
from attn_core.ui.runs.watching import OUTCOME
from attn_core.ui.widgets.controls import number_input, one_of
from attn_core.ui.widgets.escape import file_name, plain
from attn_core.ui.widgets.show import slug

MOST_WINDOWS = 1000
SAMPLES = "The sample texts of the dashboard"
ON_DISK = "A folder or file on this machine"
UPLOADED = "Files that I upload"
MINE = "My texts"
UPLOADS = "uploaded texts"  # the folder beside the studies that keeps them
LAST_UPLOAD = "folder_of_the_last_upload"  # in the session
DOCUMENTS: dict[Documents, str] = {"file": "a file", "blank-line": "a block between blank lines", "line": "a line"}


def show_form(choice: Choice) -> None:
    """Draw the form of a new study. Its first model and its settings are those of the sidebar."""
    if (corpus := choose_corpus()) is None:
        return
    uploaded = Path(corpus.source).parent == root_of(STUDY) / UPLOADS
    source = corpus.files[0].name.partition(" ")[2] if uploaded else corpus.source
    usual = slug(default_name(source, choice.spec))
    left, middle, right = st.columns(3)
    name = left.text_input("Name of the study", key="study_name", bind="query-params", placeholder=usual) or usual
    more = middle.multiselect(
        f"Models, beside {plain(short_name(choice.spec))}",
        [name for name in (MINILM, BERT) if name != choice.spec.name],
        key="study_models", bind="query-params", accept_new_options=True, placeholder="none",
        help="Hugging Face ids or local folders. The first model is that of the sidebar.",
    )  # fmt: skip
    rules = right.multiselect(
        "Patterns", list(BY_NAME), key="study_rules", bind="query-params", format_func=BY_NAME.__getitem__,
        placeholder="none",
        help="Pairs of words that a rule finds: how well every head sees them. Annotated texts (.conllu, GAP's "
        ".tsv) have their own.",
    )  # fmt: skip
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        windows = number_input(
            "Windows of each text", 0, MOST_WINDOWS, 0, key="study_windows", width=180,
            help="0: all. The first pages of many books say more than all pages of one.",
        )  # fmt: skip
        beside = st.checkbox(
            "Compare with copies and shuffled text", value=True, key="with_baselines", bind="query-params",
            help="Three untrained copies, three with shuffled weights, and the same tokens in random order. Only they "
            "show what was learned.",
        )  # fmt: skip
        every_setting = st.checkbox(
            "Every setting", key="every_setting", bind="query-params",
            help="Also the claims under every setting that the paper leaves open: about four times the work.",
        )  # fmt: skip
        stable_roles = st.checkbox(
            "Stable roles", key="study_stable_roles", bind="query-params",
            help="Also the roles that each head has in each text under most of nine settings, and how often two texts "
            "agree on them: about a third more work.",
        )  # fmt: skip
    baselines: tuple[Control, ...] = tuple(CONTROLS) if beside else ()
    try:
        command = of_study(corpus, choice, more, baselines, every_setting, rules, windows, stable_roles)
        effort = _effort(corpus, [_first(choice), *more], baselines, every_setting, choice.layout)
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    settings = ", ".join(describe_settings(asdict(choice.settings) | {"unit": choice.unit}))
    st.caption(f"{effort} Settings of the sidebar: {settings}, {describe_layout(choice.layout)}.")
    st.caption(describe_short(corpus, choice.settings.share, choice.unit))
    offer_study(name, command)


def choose_corpus() -> Corpus | None:
    """The texts that are chosen for a new study; None, with the reason on the page, where there is nothing to read."""
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
    documents = left.selectbox(
        "In a text file, one text is", list(DOCUMENTS), format_func=DOCUMENTS.__getitem__, key="corpus_documents",
        bind="query-params",
    )  # fmt: skip
    found = files_at(str(folder), lambda: "text" in st.session_state)  # asking ends the search with the session
    corpus = Corpus(str(folder), None, documents, found=found)
    tables = [file for file in corpus.files if is_table(file)]
    if tables:
        if not corpus.columns:
            raise InputError(f"No column of texts is in all {len(tables):,} tables there: study them one by one.")
        usual = DEFAULT_COLUMN if DEFAULT_COLUMN in corpus.columns else corpus.columns[0]
        with right:
            column = one_of("Column of tables that holds the texts", corpus.columns, "corpus_column", usual)
        corpus = replace(corpus, column=column)
    groups = st.text_input(
        "Group texts by work",
        key="corpus_groups",
        bind="query-params",
        placeholder=r"folder, a column, or an expression such as (.*?)[ _-]*\d+",
        help="Intervals are then over works: say folder, name a column of the tables, or give a regular expression "
        "whose first group is the work in a file's name. Empty: every text is a work.",
    )
    corpus = replace(corpus, groups=groups.strip() or None)
    if source == MINE:
        st.caption("A study keeps example passages of your texts even after you delete the texts.")
    describe_files = "1 file" if len(corpus.files) == 1 else f"{len(corpus.files):,} files"
    place = f"{describe_files}, {corpus.size / 1e3:,.0f} kB, in {plain(printable(corpus.source))}"
    st.caption(f"{place}. {plain(corpus.left_out)}" if corpus.left_out else place)
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
    """The folder of the files that were uploaded last, also after a visit of another page, when Streamlit forgets them.

    Raises InputError before the first.
    """
    files = st.file_uploader(
        "Texts and tables", key="corpus_upload", accept_multiple_files=True, max_upload_size=5,
        help=f"At most 5 MB a file. They are kept in the folder {UPLOADS} beside the studies.",
    )  # fmt: skip
    if files:
        st.session_state[LAST_UPLOAD] = _written(files)
    if LAST_UPLOAD not in st.session_state:
        raise InputError("Choose one or more files.")
    return st.session_state[LAST_UPLOAD]


def _written(files: Sequence[UploadedFile]) -> Path:
    """A folder with these files, whose name is a digest of their names and contents."""
    data = {f"{number:03d} {file_name(one.name)}": one.getvalue() for number, one in enumerate(files, 1)}
    digests = (name.encode() + b"\0" + sha256(content).digest() for name, content in data.items())
    folder = root_of(STUDY) / UPLOADS / sha256(b"".join(digests)).hexdigest()[:12]
    if not folder.is_dir():
        write_folder(folder, data)
    return folder


def _effort(
    corpus: Corpus, models: Sequence[str], baselines: Sequence[Control], every_setting: bool, layout: Layout
) -> str:
    """A sentence on how much a study reads. Raises InputError where a model is named twice."""
    subjects = with_baselines([spec_named(name) for name in models], baselines, layout=layout)
    times = sum(len(layouts_of(one.layout, every_setting)) for one in subjects)
    readers = "One subject reads" if len(subjects) == 1 else f"{len(subjects)} subjects read"
    often = "once" if times == 1 else f"{times} times in all"
    return f"{readers} {corpus.size / 1e3:,.0f} kB of text, {often}. The time left is shown after the first part."


def _first(choice: Choice) -> str:
    """The model of the sidebar, as the command names it."""
    return choice.spec.place if choice.spec.stack == STACKS[0] else f"{choice.spec.place}+{choice.spec.stack}"


def of_study(
    corpus: Corpus,
    choice: Choice,
    more: Sequence[str] = (),
    baselines: Sequence[str] = (),
    every_setting: bool = False,
    rules: Sequence[str] = (),
    windows: int = 0,
    stable_roles: bool = False,
) -> list[str]:
    """The options of the command for a study. more: more models. windows: the most windows of a text; 0: all.

    Raises InputError for a model at a revision, which the command reads as the step of a training.
    """
    if choice.spec.revision:
        raise InputError("A study that is started here reads no revision: use --revisions on a command line.")
    sizes = {"unit": choice.unit, "layout": choice.layout, "window_tokens": choice.spec.window_tokens}
    also = {"every_setting": every_setting, "stable_roles": stable_roles, "windows": windows}
    return [
        corpus.source,
        *to_argv(corpus),
        *("--models", _first(choice), *more),
        *(("--controls", *baselines) if baselines else ()),
        *(part for rule in rules for part in ("--rule", rule)),
        *to_argv(choice.settings, sizes, also),
    ]


def offer_study(name: str, command: list[str]) -> None:
    """Draw a button that starts a study in the background, and its command line. command: the options of the study."""
    if busy := [name for name, folder in known(STUDY).items() if (now := read_progress(folder)) and now.at_work]:
        st.caption(f":material/info: {plain(busy[0])} is running: wait for it, or cancel it.")
    st.button(
        "Start", icon=":material/play_arrow:", type="primary", disabled=bool(busy), key="start-study",
        on_click=_start, args=(name, command),
    )  # fmt: skip
    st.caption(
        "It runs in the background and finds the language of each text. On a command line, where `--workers` and "
        "`--dask` help:"
    )
    typed = ["python", "-m", "attn_core", "study", *command, "--out", f"{STUDY.folders}/{slug(name)}"]
    st.code(shlex.join(typed), "sh", wrap_lines=True)


def _start(name: str, command: list[str]) -> None:
    """Start a study and choose it. As a callback it runs before the page, which then opens the study."""
    try:
        folder = background.begin(name, command)
    except (InputError, OSError) as error:
        st.session_state[OUTCOME] = st.warning, str(error)
        return
    st.session_state["study"] = folder.name
