"""Studies on this machine: where they lie, how one is started, watched and stopped, and what a finished one shows.

A study runs in a process of its own, which writes how far it is into its folder. So it outlives a reload of the page
and the dashboard itself, and the dashboard stays as quick as the processor lets it.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st

from attn_core.controls import control_of
from attn_core.errors import InputError
from attn_core.model_files import ModelSpec
from attn_core.paths import shown, typed_path
from attn_core.study import folder as files
from attn_core.study.corpus import Corpus, Documents
from attn_core.study.progress import WORKING, Progress, Status, duration, read_progress
from attn_core.study.text_tables import DEFAULT_COLUMN, is_table
from attn_core.texts import SAMPLES_FOLDER
from attn_core.ui.address import chosen, keep_among
from attn_core.ui.choice import Choice, StudyChoice
from attn_core.ui.downloads import slug
from attn_core.ui.escape import plain

PROJECT = Path(__file__).parents[2]
ROOT = "ATTN_CORE_STUDIES"  # the environment variable that moves the folder of studies
ELSEWHERE = "study_folder"  # the widget that names a folder outside the root
COMMAND, LOG = "command.json", "log.txt"
ICONS: dict[Status, str] = {
    "starting": ":material/hourglass_top:", "running": ":material/play_circle:", "pooling": ":material/merge:",
    "finished": ":material/check_circle:", "cancelled": ":material/stop_circle:", "failed": ":material/error:",
    "interrupted": ":material/power_off:",
}  # fmt: skip
SAMPLES = "The sample texts of the dashboard"
ON_DISK = "A folder or file on this machine"
UPLOADED = "Files that I upload"
UPLOADS = "uploaded texts"  # the folder beside the studies that keeps them
REFUSED = "study_refused"  # why a button of a study could not do what it says
KEPT = "corpus_uploaded"  # where the session remembers which
DOCUMENTS: dict[Documents, str] = {"file": "a file", "blank-line": "a block between blank lines", "line": "a line"}


@dataclass(frozen=True)
class Listed:
    """A folder with a study in it."""

    folder: Path
    progress: Progress


def root() -> Path:
    """The folder of studies: ./studies unless the environment names another."""
    return Path(os.environ.get(ROOT) or PROJECT / "studies")


def studies() -> list[Listed]:
    """The studies below the root, those at work first, then the latest."""
    found = []
    for folder in root().glob("*"):
        progress = read_progress(folder) if folder.is_dir() else None
        if progress:
            found.append((progress.status not in WORKING, -folder.stat().st_mtime, folder, progress))
    return [Listed(folder, progress) for *_, folder, progress in sorted(found, key=lambda one: one[:3])]


def finished() -> dict[str, StudyChoice]:
    """The studies that can stand in place of the text, by name: those below the root, and one opened elsewhere."""
    below = sorted(filter(None, map(_finished_in, root().glob("*"))), key=lambda choice: -choice.made)
    found = {choice.folder.name: choice for choice in below}
    elsewhere = folder_named(chosen(ELSEWHERE))
    if elsewhere and (choice := _finished_in(elsewhere)):
        found[str(elsewhere) if elsewhere.name in found else elsewhere.name] = choice
    return found


def _finished_in(folder: Path) -> StudyChoice | None:
    with suppress(OSError):
        return StudyChoice(folder, (folder / files.TABLES / "heads.parquet").stat().st_mtime_ns)
    return None


def folder_named(path: str) -> Path | None:
    """The folder that a user typed, or None where it names none."""
    with suppress(InputError):
        folder = typed_path(path.strip())
        return folder if path.strip() and folder.is_dir() else None
    return None


def choose_corpus() -> Corpus:
    """Widgets for the texts of a new study. Raises InputError where there is nothing to read."""
    sources = [SAMPLES, ON_DISK, UPLOADED]
    source = st.selectbox("Texts", sources, key="corpus_source", bind="query-params")
    if source == SAMPLES:
        return Corpus(str(SAMPLES_FOLDER))
    folder = _choose_path() if source == ON_DISK else _uploaded()
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
        keep_among("corpus_column", corpus.columns, usual)
        at = corpus.columns.index(usual)
        with right:
            column = st.selectbox(
                "Column of tables that holds the texts", corpus.columns, at, key="corpus_column", bind="query-params"
            )
        corpus = replace(corpus, column=column)
    files_in_words = "1 file" if len(corpus.files) == 1 else f"{len(corpus.files):,} files"
    st.caption(f"{files_in_words}, {corpus.size / 1e6:,.1f} MB, in {plain(shown(corpus.source))}")
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
    uploads = st.file_uploader(
        "Texts and tables",
        type=["txt", "md", "jsonl", "csv", "parquet", "xz", "gz", "bz2"],
        accept_multiple_files=True,
        key="corpus_upload",
        help=f"At most 5 MB a file. They are kept in the folder {UPLOADS} beside the studies, where a study finds them.",
    )
    if uploads:
        contents = {f"{number:03d} {Path(one.name).name}": one.getvalue() for number, one in enumerate(uploads, 1)}
        digest = sha256(b"".join(name.encode() + sha256(data).digest() for name, data in contents.items())).hexdigest()
        folder = root() / UPLOADS / digest[:12]
        if not files.is_whole(folder):
            files.write_folder(folder, contents)
        st.session_state[KEPT] = folder  # the widget forgets its files when the page changes
    if KEPT not in st.session_state:
        raise InputError("Choose one or more files.")
    return st.session_state[KEPT]


def start(name: str, corpus: Corpus, language: str, choice: Choice) -> Path:
    """Start a study in the background. Raises InputError where its folder is taken, and where a table lacks the column."""
    corpus.check()
    chosen, control = choice.settings, control_of(choice.spec, choice.layout)
    layout = "plain" if control == "shuffled" else choice.layout
    command = [
        *of_corpus(corpus, language), *of_model(choice.spec), "--layout", layout, "--measure", chosen.measure,
        "--share", repr(chosen.share),
    ]  # fmt: skip
    command += ["--control", control] if control else []
    command += [] if chosen.unit == "tokens" else ["--unit", chosen.unit]
    command += [] if chosen.with_special else ["--no-special"]
    return begin(root(), name, "study", command)


def of_corpus(corpus: Corpus, language: str) -> list[str]:
    """The texts, as a command is told of them."""
    command = [corpus.source, "--documents", corpus.documents, "--language", language]
    command += ["--column", corpus.column] if corpus.column else []
    return command + (["--limit", str(corpus.limit)] if corpus.limit else [])


def of_model(spec: ModelSpec) -> list[str]:
    """The model, the same."""
    return ["--model", spec.name] + (["--revision", spec.revision] if spec.revision else [])


def begin(below: Path, name: str, subcommand: str, command: list[str]) -> Path:
    """Start a command of the project in the background, in a new folder. Raises InputError where that is taken."""
    folder = below / slug(name)
    begun = (folder / files.MANIFEST).exists() or files.is_locked(folder)  # one that failed before can be replaced
    if begun or (folder.exists() and not (folder / COMMAND).exists()):
        raise InputError(
            f"There is a study named {folder.name} already: choose another name, or open it below, where it can be deleted."
        )
    command = [*command, "--out", str(folder)]
    files.write_file(folder / COMMAND, files.to_json({"subcommand": subcommand, "command": command}))
    launch(folder)
    return folder


def start_anew(folder: Path) -> None:
    """Start the command of a study again, from nothing. Raises InputError for a study that was not started here."""
    told = _told(folder)
    delete(folder)
    files.write_file(folder / COMMAND, files.to_json(told))
    launch(folder)


def delete(folder: Path) -> None:
    """Delete a study with all that it has counted. Raises InputError where a process works on it."""
    if folder.parent != root() and not (folder / COMMAND).exists():
        raise InputError(
            f"{shown(folder)} does not lie among the studies of this dashboard: delete it where it was made."
        )
    if files.is_locked(folder):
        raise InputError(f"{shown(folder.name)} is at work: cancel it first.")
    for name in (files.MANIFEST, files.PROGRESS, files.SHARDS, files.EXAMPLES, files.TABLES, files.LOCK, COMMAND, LOG):
        files.remove(folder / name)
    with suppress(OSError):  # somebody may keep notes in it
        folder.rmdir()


def _told(folder: Path) -> dict[str, Any]:
    """What was started in a folder."""
    told = files.read_json(folder / COMMAND) or {}
    if not told.get("command"):
        raise InputError(
            "This study was started from a command line, or its command.json is damaged: start it there again, it goes on."
        )
    return told


def launch(folder: Path) -> None:
    """Start the command of a study, or start it again. Raises InputError for a study that was not started here."""
    told = _told(folder)
    of_this_program = [sys.executable, "-m", "attn_core", told.get("subcommand", "study")]
    threads = ["--threads", str(max(1, (os.cpu_count() or 2) - 1))]
    files.write_file(folder / files.PROGRESS, files.to_json({"status": "starting"}))
    with (folder / LOG).open("ab") as log:
        process = subprocess.Popen(
            [*of_this_program, *told["command"], *threads],
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C in the dashboard's terminal is not meant for a study
        )
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, 10)  # the dashboard, which keeps a core, goes first


def show_everywhere(folder: Path) -> None:
    """Let a finished study stand in place of the text on the other pages; called before the page is drawn."""
    for name, choice in finished().items():
        if choice.folder == folder:
            st.session_state["numbers"] = name


def stop(folder: Path) -> None:
    """Ask the process of a study to end; what it has counted stays."""
    owner = files.holder(folder)
    if owner and owner.get("host") == socket.gethostname() and files.is_locked(folder):
        with suppress(OSError):
            os.kill(int(owner["pid"]), signal.SIGTERM)


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
        stop(folder)
        st.toast("The study stops.")


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
