"""Atomic writing of files: to a temporary file, which is flushed to the disk and renamed."""

import os
import re
from pathlib import Path
from threading import get_ident

LONGEST = 40  # characters of a name that its temporary file keeps, since systems limit the length of names
UNFINISHED = re.compile(rf"\..{{1,{LONGEST}}}\.\d+-\d+-0\.tmp", re.DOTALL)


def unfinished(path: Path) -> Path:
    """The path of a temporary file in the same folder, unique to this process and thread."""
    return path.with_name(f".{path.name[:LONGEST]}.{os.getpid()}-{get_ident()}-0.tmp")


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically. A link is followed; a pipe or a terminal is written directly."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    place = path.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    new = unfinished(place)
    try:
        with new.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(place)
    except OSError as error:  # its own path is that of the temporary file, or missing
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        new.unlink(missing_ok=True)
