"""Runs in processes of their own: started, started again, stopped, and deleted with what they made.

Each writes how far it is into its folder. So it outlives a reload of the page and the dashboard itself, and the dashboard
stays as quick as the processor lets it.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attn_core.errors import InputError
from attn_core.io.paths import PROJECT, last_part, shown
from attn_core.models.files import STACKS
from attn_core.options import CORPUS, to_argv
from attn_core.runs import folder as files
from attn_core.runs.deleting import delete_run
from attn_core.runs.executors import cores_here
from attn_core.runs.kinds import KINDS
from attn_core.runs.lock import is_locked
from attn_core.runs.progress import STOPPED, WORKING, read_progress
from attn_core.study.corpus import Corpus
from attn_core.ui.choice import Choice
from attn_core.ui.runs.kinds import Kind, kind_of
from attn_core.ui.widgets.downloads import slug

COMMAND, LOG = files.COMMAND, files.LOG
FEW = 5  # names that a sentence lists


def of_study(
    corpus: Corpus,
    language: str,
    choice: Choice,
    baselines: Sequence[str],
    every_setting: bool,
    rules: Sequence[str],
    windows: int,
) -> list[str]:
    """Texts, model, baselines and settings of a study, as options of its command. windows: of each text; 0: all.

    Raises InputError for a model at a revision, which the command reads as the step of a training.
    """
    spec = choice.spec
    if spec.revision:
        raise InputError("A study that is started here reads no revision: use --revisions on a command line.")
    model = spec.place if spec.stack == STACKS[0] else f"{spec.place}+{spec.stack}"
    return [
        *of_corpus(corpus, language),
        *("--models", model),
        *(("--controls", *baselines) if baselines else ()),
        *(["--every-setting"] if every_setting else []),
        *(part for rule in rules for part in ("--rule", rule)),
        *(("--windows", str(windows)) if windows else ()),
        *to_argv(choice.settings, {"unit": choice.unit, "layout": choice.layout, "window_tokens": spec.window_tokens}),
    ]


def _cores() -> list[str]:
    """All cores but the one that the dashboard keeps."""
    return ["--cores", str(max(1, cores_here() - 1))]


def of_corpus(corpus: Corpus, language: str) -> list[str]:
    """The texts, as options of a command."""
    return [corpus.source, *to_argv({**{name: getattr(corpus, name) for name in CORPUS[:-1]}, "language": language})]


def begin(kind: Kind, name: str, command: list[str]) -> Path:
    """Start a run in the background, in a new folder. Raises InputError where there is one of that name."""
    folder = kind.root / slug(name)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir()
    except FileExistsError:
        raise InputError(
            f"There is a {kind.name} named {folder.name} already: choose another name, or open it below, where it can be deleted."
        ) from None
    files.begin_manifest(folder, KINDS[kind.name])
    files.write_file(folder / COMMAND, files.to_json({"subcommand": kind.command, "command": command}))
    launch(folder)
    return folder


def delete(folder: Path) -> str:
    """Delete a run with all that it has counted, and name what stays. Raises InputError where a process works on it.

    And for a folder that does not lie below a root: only where results of this dashboard lie does it delete any.
    """
    _refuse_elsewhere(folder, "delete it")
    if not (stays := delete_run(folder)):
        return f"{shown(folder.name)} is deleted."
    return f"What this program wrote into {shown(folder)} is deleted; what else is there stays: {_in_words(stays)}."


def _in_words(names: list[str]) -> str:
    some = ", ".join(shown(name) for name in names[:FEW])
    return some if len(names) <= FEW else f"{some} and {len(names) - FEW:,} more"


def _refuse_elsewhere(folder: Path, what: str) -> None:
    if kind_of(folder) is None:
        raise InputError(f"{shown(folder)} does not lie among the results of this dashboard: {what} where it was made.")


def read_command(folder: Path) -> list[str] | None:
    """What a page has started in a folder, subcommand and options; None where none did."""
    told = files.read_json(folder / COMMAND) or {}
    subcommand, options = told.get("subcommand"), told.get("command")
    known = subcommand in [kind.command for kind in KINDS.values()]
    if not known or not isinstance(options, list) or not all(isinstance(part, str) for part in options):
        return None
    return [str(subcommand), *options]


def launch(folder: Path) -> None:
    """Start a run, or start it again. Raises InputError for one that was not started here."""
    _refuse_elsewhere(folder, "go on")
    if (command := read_command(folder)) is None:
        raise InputError(
            "This was started from a command line, or its command.json is damaged: start it there again, it goes on."
        )
    files.clear_way(folder / LOG, folder)
    with (folder / LOG).open("ab") as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "attn_core",
                *command,
                "--out",
                str(folder.absolute()),
                *_cores(),
            ],  # wherever it lies by now
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C in the dashboard's terminal is not meant for a run
        )
    _write_progress(folder, status="starting", pid=process.pid, host=socket.gethostname())
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, 10)  # the dashboard, which keeps a core, goes first


def stop(folder: Path) -> bool:
    """Ask the process of a run to end; what it has counted stays. Returns whether there was one on this machine."""
    said = read_progress(folder)
    if said is None or said.status not in WORKING or not said.here or not _is_of_run(said.pid, folder):
        return False
    counts = is_locked(folder)  # asked first: once ended it holds no lock
    try:
        os.kill(said.pid, signal.SIGTERM)
    except OSError:
        return False
    if not counts:  # it still imports torch, and ends without a word
        _write_progress(folder, status="cancelled", message=STOPPED)
    return True


def _is_of_run(process: int, folder: Path) -> bool:
    """Whether a process is this program at work in a folder: its number may be another's by now."""
    with suppress(OSError):
        if Path("/proc/self").exists():
            command = Path("/proc", str(process), "cmdline").read_text(errors="replace").split("\0")
        else:
            asked = ["ps", "-ww", "-o", "args=", "-p", str(process)]
            command = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
        return folder.name in map(last_part, command) and any("attn_core" in part for part in command)
    return False


def _write_progress(folder: Path, **what: Any) -> None:
    said = files.read_json(folder / files.PROGRESS) or {}
    files.write_file(folder / files.PROGRESS, files.to_json({**said, **what}))
