"""Paths that a user types, files that a pattern finds, and paths as text for messages and exports."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from fnmatch import fnmatch
from pathlib import Path
from time import monotonic

from attn_core.errors import InputError, cause

PROJECT = Path(__file__).parents[2]  # the folder of the dashboard
# The beginning of a path on any system, which no hub id and no pattern of words has.
ABSOLUTE = re.compile(r"/|~|\.\.?[/\\]|\\\\|[A-Za-z]:[/\\]")
LONGEST_SHOWN = 200  # characters of a path in a message
MOST_PATHS, MOST_SECONDS = 1_000_000, 20.0  # that a search for files looks at, and takes


def typed_path(text: str) -> Path:
    """The path for a text, with ``~`` expanded; it need not exist.

    Raises InputError for a text that cannot be a path, such as a name that is too long.
    """
    try:
        path = Path(text).expanduser()
        with suppress(FileNotFoundError, NotADirectoryError):
            path.stat()  # raises if the system does not accept the path
    except (OSError, RuntimeError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else cause(error)
        raise InputError(f"{printable(text)} cannot be a path on this machine ({why}).") from None
    return path


def found_files(folder: Path, pattern: str = "**/*", pause: Callable[[], object] = lambda: None) -> Iterator[Path]:
    """The files below a folder that match a glob, without hidden ones and without those behind links to folders.

    pause: called now and then; it may raise to end the search. Raises InputError if the search takes too long, and
    OSError if the folder cannot be read.
    """
    parts = Path(pattern).parts
    parts += ("*",) if parts[-1] == "**" else ()
    seen, end = 0, monotonic() + MOST_SECONDS
    waiting = [(str(folder), {parts})]  # folders, and the globs that the paths in them may match
    while waiting:
        place, globs = waiting.pop()
        for _ in parts:
            globs |= {glob[1:] for glob in globs if glob[0] == "**"}  # which may match no folder
        with suppress(OSError) if seen else nullcontext(), os.scandir(place) as entries:
            for entry in entries:
                seen += 1
                if seen > MOST_PATHS or monotonic() > end:
                    raise InputError(f"{printable(folder)} has too many files to search: name a folder further down.")
                if not seen % 1000:
                    pause()
                if entry.name.startswith("."):
                    continue
                after = {glob[1:] for glob in globs if glob[0] != "**" and fnmatch(entry.name, glob[0])}
                if () in after and entry.is_file():
                    yield Path(entry.path)
                deeper = {glob for glob in globs if glob[0] == "**"} | after - {()}
                if deeper and entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, deeper))


def other_kinds(found: Iterable[Path], read: Iterable[Path]) -> str:
    """A sentence on the files that were found and are of no kind that is read; empty if there is none."""
    kinds = Counter(printable(file.suffix.lower()) or "without a suffix" for file in sorted({*found} - {*read}))
    told = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common(12))
    return told and f"Files of other kinds are left out: {told}."


def local_folder(name: str) -> Path | None:
    """The folder that a model's name refers to, or None for a hub id."""
    with suppress(InputError):  # not a path, but possibly a hub id
        folder = typed_path(name)
        return folder if name and folder.is_dir() else None
    return None


def display_name(name: str) -> str:
    """The name of a model for exports: a hub id, or the name of a folder without its path, also of one that is gone."""
    folder = local_folder(name)
    if folder is None:
        return printable(last_part(name)) if ABSOLUTE.match(name) else name
    return printable((folder.resolve() if folder.name in ("", "..") else folder).name)


def without_places(argv: Sequence[str]) -> list[str]:
    """The arguments of a command for exports, with every path reduced to its last part."""
    return [_without_place(argument) for argument in argv]


def _without_place(argument: str) -> str:
    option, equals, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
    is_place = ABSOLUTE.match(value) or ("/" in value and local_folder(value.split("/")[0]))
    return f"{option}{equals}{printable(last_part(value))}" if is_place else argument


def last_part(path: object) -> str:
    """The name of a file or folder without its parent folders, for paths of any system."""
    return str(path).replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def printable(path: str | Path) -> str:
    """A path as one line of printable text, truncated if long; other characters as ``\\n``, bytes as ``\\xff``."""
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(path))
    name = "".join(escaped).replace("\\udc", "\\x")  # Python's surrogates for bytes that are not UTF-8
    return name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}…"
