"""How far a study is: told to a function and to progress.json, so that a page or another program can look."""

import errno
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from attn_core.errors import InputError, RunCancelled, RunError, cause
from attn_core.io.paths import shown
from attn_core.runs import folder as files
from attn_core.runs.job import Shard
from attn_core.runs.lock import is_locked

Status = Literal["starting", "running", "pooling", "finished", "cancelled", "failed", "interrupted"]
PATIENCE = 180.0  # seconds that a process may take from its start to its lock: it imports torch, last of all at work
SILENCE = 1800.0  # seconds without a word after which a process on another machine counts as gone: shards take minutes
STOPPED = "Counting was stopped: started again, it goes on where it was."
WORKING = ("starting", "running", "pooling")


@dataclass(frozen=True)
class Progress:
    """How far a study is. subject: which is counted, where there are several; done: the share of all work; seconds and rate
    (windows a second) are of this run.
    """

    status: Status = "starting"
    done: float = 0.0
    texts: int = 0
    bad_texts: int = 0
    windows: int = 0
    seconds: float = 0.0
    rate: float | None = None
    left_seconds: float | None = None
    message: str = ""
    subject: str = ""
    pid: int = field(default_factory=os.getpid)
    host: str = field(default_factory=socket.gethostname)

    @property
    def here(self) -> bool:
        """Whether it speaks of this machine."""
        return self.host == socket.gethostname()

    def __str__(self) -> str:
        rate = "" if self.rate is None else f", {self.rate:.1f} windows/s"
        left = "" if self.left_seconds is None else f", {duration(self.left_seconds)} left"
        bad = f" ({self.bad_texts:,} bad)" if self.bad_texts else ""
        subject = f" {self.subject}" if self.subject and self.status == "running" else ""
        return (
            f"{self.status}{subject} {self.done:.0%}: {self.texts:,} texts{bad}, {self.windows:,} windows{rate}{left}"
        )


def duration(seconds: float) -> str:
    """75 -> '1 min', 8000 -> '2 h 13 min'."""
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def read_progress(folder: Path) -> Progress | None:
    """What a study last said of itself; "interrupted" where its process is gone without a word.

    Where nothing can be read of it, a finished study is told by its tables, and None means that no study was begun here.
    """
    said = _said(folder)
    if said is None:
        return _without_words(folder)
    if said.status in WORKING and _is_gone(folder, said):
        return replace(said, status="interrupted", left_seconds=None)
    return said


def _is_gone(folder: Path, said: Progress) -> bool:
    """Whether the process that was at work is no more; of another machine only its silence tells."""
    silent = time.time() - (folder / files.PROGRESS).stat().st_mtime
    if not said.here:
        return silent > SILENCE
    begins = said.status == "starting" and silent < PATIENCE
    return not begins and not is_locked(folder)


def _said(folder: Path) -> Progress | None:
    told = files.read_json(folder / files.PROGRESS)
    try:
        return Progress(**told) if told is not None else None
    except TypeError:  # another version of this program
        return None


def _without_words(folder: Path) -> Progress | None:
    manifest = files.read_json(folder / files.MANIFEST)
    if manifest is None and not (folder / files.PROGRESS).exists():
        return None
    if manifest and manifest.get("tables"):
        return Progress("finished", done=1.0, pid=0, host="")
    message = "Nothing tells how far this study is (progress.json is missing or damaged): started again, it goes on."
    return Progress("interrupted", message=message, pid=0, host="")


class Reporter:
    """Adds up what was counted and tells it."""

    def __init__(self, folder: Path, listener: Callable[[Progress], None] | None) -> None:
        self._folder, self._listener = folder, listener
        self._now, self._before = Progress(), _said(folder)
        self._start = time.monotonic()
        self._counted = False
        self._windows = 0  # of this run, whatever the subject
        self._done_before = 0.0

    def begin(self, subject: str) -> None:
        """Which subject is counted now; texts and windows are those of its reading."""
        self._now = replace(self._now, subject=subject, texts=0, bad_texts=0, windows=0)

    def counted_before(self, shard: Shard, told: Mapping[str, Any]) -> None:
        """A shard of an earlier run. told: what it tells of itself."""
        self._add(shard, told)
        self._done_before = self._now.done

    def counted(self, shard: Shard, told: Mapping[str, Any]) -> None:
        """A shard of this run."""
        self._add(shard, told)
        self._windows += told["windows"]
        seconds = time.monotonic() - self._start
        gained = self._now.done - self._done_before
        self._now = replace(
            self._now,
            seconds=seconds,
            rate=self._windows / seconds,
            left_seconds=seconds * (1 - self._now.done) / gained if gained > 0 else None,
        )
        self.tell("running")

    def tell(self, status: Status, message: str = "") -> None:
        """Write it down, and call the listener."""
        seconds = time.monotonic() - self._start
        left = self._now.left_seconds if status == "running" else None
        self._now = replace(self._now, status=status, message=message, seconds=seconds, left_seconds=left)
        files.write_file(self._folder / files.PROGRESS, files.to_json(asdict(self._now)))
        if self._listener:
            self._listener(self._now)

    def end(self, status: Status, message: str = "") -> None:
        """Last words. What ends before a shard was looked at leaves an earlier run's count as it was."""
        if self._before and not self._counted:
            self._now = replace(self._before, pid=self._now.pid, host=self._now.host)
            if self._before.status == "finished":
                status, message = "finished", ""
        if status == "finished":
            self._now = replace(self._now, done=1.0)
        self.tell(status, message)

    def _add(self, shard: Shard, told: Mapping[str, Any]) -> None:
        now = self._now
        self._now = replace(
            now,
            done=max(now.done, shard.done),
            texts=now.texts + told["texts"],
            bad_texts=now.bad_texts + told["bad"],
            windows=now.windows + told["windows"],
        )
        self._counted = True


@contextmanager
def reporting(folder: Path, listener: Callable[[Progress], None] | None) -> Iterator[Reporter]:
    """Let a study report, and let it end in one sentence whatever happens."""
    reporter = Reporter(folder, listener)
    try:
        yield reporter
    except (KeyboardInterrupt, RunCancelled):  # this run, or one within it
        _last_words(reporter, "cancelled", STOPPED)
        raise RunCancelled(STOPPED) from None
    except InputError as error:
        _last_words(reporter, "failed", str(error))
        raise
    except OSError as error:
        message = f"Counting stopped ({cause(error)}): started again, it goes on where it was."
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"The disk is full: make room for {shown(folder)} and start again, it goes on where it was."
        _last_words(reporter, "failed", message)
        raise RunError(message) from error


def _last_words(reporter: Reporter, status: Status, message: str) -> None:
    with suppress(OSError):  # on a full disk not even this may fit
        reporter.end(status, message)
