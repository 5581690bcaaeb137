"""Files opened for reading, compared with the SHA-256 of what was written, and written atomically.

A file is written to a temporary file, which is flushed to the disk and renamed.
"""

import errno
import json
import os
import re
import stat
from contextlib import suppress
from functools import partial
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from threading import get_ident
from typing import Any

from attn_core.errors import InputError
from attn_core.io.paths import printable

LONGEST = 40  # characters of a name that its temporary file keeps, since systems limit the length of names
UNFINISHED = re.compile(rf"\..{{1,{LONGEST}}}\.\d+-\d+-0\.tmp", re.DOTALL)
TABLE = re.compile(r"\w+\.(csv|parquet|json|md)", re.ASCII)  # name of a file of tables, in no other folder


class DamagedError(InputError):
    """A file that is missing or differs from what was written."""


def unfinished(path: Path) -> Path:
    """The path of a temporary file in the same folder, unique to this process and thread."""
    return path.with_name(f".{path.name[:LONGEST]}.{os.getpid()}-{get_ident()}-0.tmp")


def open_file(path: Path) -> BufferedReader:
    """A file opened for reading. Raises OSError for a pipe or a device before it is opened, since it may never end."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
    return path.open("rb")


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises OSError like `open_file`."""
    with open_file(path) as file:
        return file.read()


def are_digests(value: object, names: re.Pattern[str]) -> bool:
    """Whether a value maps names of a pattern to strings."""
    return isinstance(value, dict) and all(
        names.fullmatch(name) and isinstance(one, str) for name, one in value.items()
    )


def read_written(path: Path, digest: str) -> bytes:
    """The content of a file. Raises DamagedError if it cannot be read, or if its SHA-256 is another."""
    with suppress(OSError):
        data = read_bytes(path)
        if sha256(data).hexdigest() == digest:
            return data
    raise DamagedError(f"{printable(path)} is missing, or not what was written: the same command makes it again.")


def read_json(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file; None if there is none."""
    with suppress(OSError, ValueError, RecursionError):
        facts = json.loads(read_bytes(path))
        return facts if isinstance(facts, dict) else None
    return None


def is_link(path: Path) -> bool:
    """Whether a path is a link to a file, or one that leads nowhere."""
    return path.is_symlink() and (path.is_file() or not path.exists())


def refuse_others(file: Path, ours: bytes | None = None) -> None:
    """Raise InputError for a folder, a link to a file, and a file that is neither empty nor has the mark of ours."""
    if file.is_dir() or is_link(file):
        raise InputError(f"{printable(file)} is a folder or a link: name a file to write.")
    if file.is_file() and (data := file.read_bytes()) and (ours is None or ours not in data):
        raise InputError(f"{printable(file)} is another file, and is not overwritten: choose another name.")


def write_file(path: Path, data: bytes, private: bool = False) -> None:
    """Write a file atomically; a pipe or a terminal is written directly. Raises InputError for a link to a file.

    private: only this user can read it, and what else comes into its folder if that is new.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    if is_link(path):
        raise InputError(f"{printable(path)} is a link, and nothing is written through it: name the file itself.")
    path.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    new = unfinished(path)
    try:
        new.unlink(missing_ok=True)
        with open(new, "xb", opener=partial(os.open, mode=0o600 if private else 0o666)) as file:  # it follows no link
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:  # its own path is that of the temporary file, or missing
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        new.unlink(missing_ok=True)
