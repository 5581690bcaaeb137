"""Files that are written whole or not at all: under another name, flushed to the disk, renamed."""

import os
import re
from pathlib import Path
from threading import get_ident

LONGEST = 40  # characters of a name that go into that of its unfinished file, since a system bounds names
UNFINISHED = re.compile(rf"\..{{1,{LONGEST}}}\.\d+-\d+-0\.tmp", re.DOTALL)


def unfinished(path: Path) -> Path:
    """A path in the same folder, for this process and thread alone."""
    return path.with_name(f".{path.name[:LONGEST]}.{os.getpid()}-{get_ident()}-0.tmp")


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; through a link, and directly into a pipe or a terminal."""
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
    except OSError as error:  # names the unfinished file, or none
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        new.unlink(missing_ok=True)
