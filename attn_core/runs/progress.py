"""The progress of a run, passed to a function and written to progress.json for pages and other programs."""

import errno
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from attn_core.errors import InputError, RunCancelled, RunError, cause
from attn_core.io.atomic_files import write_file
from attn_core.io.paths import printable
from attn_core.runs import folder as run_folder
from attn_core.runs.folder import is_locked
from attn_core.runs.job import Shard

Status = Literal["starting", "running", "pooling", "finished", "cancelled", "failed", "interrupted"]
WORKING = ("starting", "running", "pooling")
PATIENCE = 180.0  # seconds that a process may take from its start to its lock: it imports torch
AGAIN = "Run the same command again: it goes on where it was."
STOPPED = f"Counting was stopped. {AGAIN}"


@dataclass(frozen=True)
class Progress:
    """The progress of a run.

    subject: the current one, if there are several. texts, windows: its numbers. done: the share of all work.
    """

    status: Status = "starting"
    done: float = 0.0
    texts: int = 0
    bad_texts: int = 0
    windows: int = 0
    seconds: float = 0.0
    left_seconds: float | None = None
    message: str = ""
    subject: str = ""
    pid: int = field(default_factory=os.getpid)

    @property
    def counts(self) -> str:
        """The numbers of texts and windows as a phrase."""
        bad = f" ({self.bad_texts:,} left out)" if self.bad_texts else ""
        return f"{self.texts:,} texts{bad}, {self.windows:,} windows"

    @property
    def at_work(self) -> bool:
        return self.status in WORKING

    def __str__(self) -> str:
        if self.status == "starting":
            return "starting: loading the model and reading the texts once"
        subject = f" {self.subject}" if self.subject and self.status == "running" else ""
        left = "" if self.left_seconds is None else f", {duration(self.left_seconds)} left"
        return f"{self.status}{subject} {self.done:.0%}: {self.counts}{left}"


def duration(seconds: float) -> str:
    """A duration as text: '1 min' for 75 seconds, '2 h 13 min' for 8000."""
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def read_progress(folder: Path) -> Progress | None:
    """The last progress of a run, "interrupted" if its process ended unexpectedly; None if no run was begun.

    Without a readable progress.json, a run with tables is finished.
    """
    last = _last(folder)
    if last is None:
        manifest = run_folder.read_json(folder / run_folder.MANIFEST)
        if manifest is None and not (folder / run_folder.PROGRESS).exists():
            return None
        finished = bool(manifest and manifest.get("tables"))
        return Progress("finished", done=1.0, pid=0) if finished else Progress("interrupted", pid=0)
    if last.at_work and not is_locked(folder):
        silent = time.time() - (folder / run_folder.PROGRESS).stat().st_mtime
        if last.status != "starting" or silent > PATIENCE:
            return replace(last, status="interrupted", left_seconds=None)
    return last


def write_progress(folder: Path, **what: Any) -> None:
    """Update fields of the last progress of a run."""
    write_file(folder / run_folder.PROGRESS, run_folder.to_json(asdict(replace(_last(folder) or Progress(), **what))))


def _last(folder: Path) -> Progress | None:
    facts = run_folder.read_json(folder / run_folder.PROGRESS)
    try:
        return Progress(**facts) if facts is not None else None
    except TypeError:  # written by another version of this program
        return None


class Reporter:
    """Reporter of the progress of a run, which adds up the counts of shards."""

    def __init__(self, folder: Path, listener: Callable[[Progress], None] | None) -> None:
        self._folder, self._listener = folder, listener
        self._now, self._before = Progress(), _last(folder)
        self._start = time.monotonic()
        self._done_before = 0.0

    def begin(self, subject: str) -> None:
        """Start a subject, with texts and windows at 0."""
        self._now = replace(self._now, subject=subject, texts=0, bad_texts=0, windows=0)

    def counted_before(self, shard: Shard, facts: Mapping[str, Any]) -> None:
        """Add a shard of an earlier run. facts: its texts, windows and bad texts."""
        self._add(shard, facts)
        self._done_before = self._now.done

    def counted(self, shard: Shard, facts: Mapping[str, Any]) -> None:
        """Add a shard of this run, and report the progress."""
        self._add(shard, facts)
        seconds, gained = time.monotonic() - self._start, self._now.done - self._done_before
        left = seconds * (1 - self._now.done) / gained if gained > 0 else None
        self._now = replace(self._now, left_seconds=left)
        self.report("running")

    def report(self, status: Status, message: str = "") -> None:
        """Write the progress, and call the listener."""
        left = self._now.left_seconds if status == "running" else None
        seconds = time.monotonic() - self._start
        self._now = replace(self._now, status=status, message=message, seconds=seconds, left_seconds=left)
        write_file(self._folder / run_folder.PROGRESS, run_folder.to_json(asdict(self._now)))
        if self._listener:
            self._listener(self._now)

    def end(self, status: Status, message: str = "") -> None:
        """Report the final status; if no shard was read, with the counts of the previous run."""
        if self._before:
            self._now = replace(self._before, pid=self._now.pid)
            if self._before.status == "finished":
                status, message = "finished", ""
        if status == "finished":
            self._now = replace(self._now, done=1.0)
        self.report(status, message)

    def _add(self, shard: Shard, facts: Mapping[str, Any]) -> None:
        now = self._now
        self._now = replace(
            now,
            done=max(now.done, shard.done),
            texts=now.texts + facts["texts"],
            bad_texts=now.bad_texts + facts["bad"],
            windows=now.windows + facts["windows"],
        )
        self._before = None


def in_a_sentence(error: BaseException, folder: Path) -> InputError:
    """The error that ends a run, as one that a user can read."""
    if isinstance(error, KeyboardInterrupt):
        return RunCancelled(STOPPED)
    if isinstance(error, InputError):
        return error
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return RunError(f"The disk is full: make room for {printable(folder)}. {AGAIN}")
    return RunError(f"Counting stopped ({cause(error)}). {AGAIN}")
