"""Runs of the program in processes of their own: listed, stopped and deleted; and studies, which a page starts.

Each run writes its progress into its folder, so that it goes on when the page is reloaded or the dashboard ends.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib

from attn_core.commands.options import CORPUS, PAIRS, flag_of
from attn_core.errors import InputError
from attn_core.io.atomic_files import write_file
from attn_core.io.paths import PROJECT, last_part, printable
from attn_core.runs import folder as run_folder
from attn_core.runs.folder import KINDS, Kind, delete_run, is_locked
from attn_core.runs.progress import STOPPED, read_progress, write_progress
from attn_core.ui.widgets.show import slug

COMMAND, LOG = run_folder.COMMAND, run_folder.LOG
SAMPLES = PROJECT / "attn_core"  # in whose packages they are
FIRST = "minilm-on-sample-texts"  # of them
STUDY, ABLATION = KINDS["study"], KINDS["ablation"]
# The options that a page gives to a study: none that reaches another machine, and no other place to write to.
OPTIONS = {"--models", "--controls", "--every-setting", "--stable-roles", "--rule", "--windows"} | {
    flag_of(name) for name in (*CORPUS, *PAIRS, "window_tokens")
}


def root_of(kind: Kind) -> Path:
    """The folder of all runs of a kind: that of ATTN_CORE_STUDIES or ATTN_CORE_ABLATIONS, by default in the project."""
    return Path(os.environ.get(f"ATTN_CORE_{kind.folders.upper()}") or PROJECT / kind.folders)


def known(kind: Kind) -> dict[str, Path]:
    """The folders of the runs of a kind by name: those at work, then the latest, then those of the package."""
    begun = {folder: read_progress(folder) for folder in root_of(kind).glob("*") if folder.is_dir()}
    here = sorted((not now.at_work, -folder.stat().st_mtime, folder) for folder, now in begun.items() if now)
    samples = sorted(
        (path for path in (SAMPLES / kind.name / "sample").glob("*") if path.is_dir()),
        key=lambda path: (path.name != FIRST, path),
    )
    return {folder.name: folder for folder in (*(folder for *_, folder in here), *samples)}


def is_of_dashboard(folder: Path) -> bool:
    """Whether a folder lies among the runs of this dashboard, and is no link to another place."""
    return folder.resolve().parent in [root_of(kind).resolve() for kind in KINDS.values()]


def begin(name: str, options: list[str]) -> Path:
    """The new folder of a study that is started in the background.

    Raises InputError if the name is taken, or for an option that no page gives.
    """
    if strange := next(_other_options(options), None):
        raise InputError(f"{printable(strange)} is no option of a page: choose another name, or a command line.")
    folder = root_of(STUDY) / slug(name)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(0o700)
    except FileExistsError:
        raise InputError(
            f"There is a study named {folder.name} already: choose another name, or open and delete that one."
        ) from None
    run_folder.begin_manifest(folder, STUDY)
    write_file(folder / COMMAND, run_folder.to_json({"subcommand": STUDY.command, "command": options}))
    launch(folder)
    return folder


def read_command(folder: Path) -> list[str] | None:
    """The options of the study in a folder; None if no page has started it, or could have."""
    command = run_folder.read_json(folder / COMMAND) or {}
    options = command.get("command")
    if command.get("subcommand") != STUDY.command or not isinstance(options, list):
        return None
    given = all(isinstance(part, str) for part in options) and not any(_other_options(options))
    return options if given else None


def _other_options(options: list[str]) -> Iterator[str]:
    """The options among arguments that no page gives, abbreviated ones too."""
    return (part for part in options if part[:1] == "-" and part.partition("=")[0] not in OPTIONS)


def launch(folder: Path) -> None:
    """Start or resume a study. Raises InputError for one that was not started here."""
    _refuse_elsewhere(folder, "go on")
    if (options := read_command(folder)) is None:
        raise InputError("It was started by a command, or its command.json is damaged: start it there again.")
    run_folder.refuse_links(folder)
    cores = max(1, joblib.cpu_count() - 1)  # the dashboard keeps one
    at = ["--out", str(folder.absolute()), "--cores", str(cores)]  # wherever it lies by now
    with (folder / LOG).open("ab") as log:
        command = [sys.executable, "-m", "attn_core", STUDY.command, *options, *at]
        streams: Any = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
        # In a session of its own: Ctrl-C in the dashboard's terminal is not meant for a run.
        process = subprocess.Popen(command, cwd=PROJECT, start_new_session=True, **streams)
    write_progress(folder, status="starting", pid=process.pid)
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, 10)  # the dashboard goes first


def stop(folder: Path) -> bool:
    """Stop the process of a run; its finished shards stay. Returns whether there was such a process on this machine."""
    said = read_progress(folder)
    if said is None or not said.at_work or not _is_of_run(said.pid, folder):
        return False
    counts = is_locked(folder)  # asked first: once ended it holds no lock
    try:
        os.kill(said.pid, signal.SIGTERM)
    except OSError:
        return False
    if not counts:  # it still imports torch, and ends without a word
        write_progress(folder, status="cancelled", message=STOPPED)
    return True


def _is_of_run(process: int, folder: Path) -> bool:
    """Whether a process is this program at work in a folder; the number may belong to another process by now."""
    with suppress(OSError):
        if Path("/proc/self").exists():
            command = Path("/proc", str(process), "cmdline").read_text(errors="replace").split("\0")
        else:
            asked = ["ps", "-ww", "-o", "args=", "-p", str(process)]
            command = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
        return folder.name in map(last_part, command) and any("attn_core" in part for part in command)
    return False


def delete(folder: Path) -> str:
    """Delete a run, and return a sentence about it. Raises InputError for a folder elsewhere, and as `delete_run`."""
    _refuse_elsewhere(folder, "delete it")
    delete_run(folder)
    return f"{printable(folder.name)} is deleted."


def _refuse_elsewhere(folder: Path, what: str) -> None:
    if not is_of_dashboard(folder):
        raise InputError(f"{printable(folder)} is not among the results of this dashboard: {what} where it was made.")
