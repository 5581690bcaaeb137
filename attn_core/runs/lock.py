"""One process at a time in a folder. The operating system drops the lock of a process that died."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.runs.folder import LOCK

PATIENCE = 1.0  # seconds: `is_locked` takes the lock for an instant


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Be the only process that works in a folder. Raises InputError where another process does."""
    folder.mkdir(parents=True, exist_ok=True)
    own = FileLock(folder / LOCK)
    try:
        own.acquire(timeout=PATIENCE, poll_interval=0.05)
    except Timeout:
        raise InputError(
            f"{shown(folder)} is in use, another process is at work there: wait for it or choose another folder."
        ) from None
    try:
        yield
    finally:
        own.release()


def is_locked(folder: Path) -> bool:
    """Whether a process works in a folder right now."""
    if not (folder / LOCK).is_file():
        return False
    try:
        with FileLock(folder / LOCK).acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # a folder that can only be read
        return False
