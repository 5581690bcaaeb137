"""The files at a folder or a glob, found without looking at the whole disk."""

import os
from collections.abc import Iterator
from fnmatch import fnmatch
from glob import has_magic
from pathlib import Path

from attn_core.errors import InputError
from attn_core.io.paths import shown

MAX_ENTRIES = 200_000  # files and folders that a search for texts looks at: some seconds, not the whole disk


def files_below(folder: Path, source: str) -> Iterator[Path]:
    """Every file of a folder and of the folders in it; hidden ones are left out, and links to folders not followed.

    source: what was typed, for the errors. Raises InputError where there is too much to look at, and OSError.
    """
    return _search(folder, ("**", "*"), _Looked(source))


def files_matching(glob: Path, source: str) -> Iterator[Path]:
    """The files that a glob means, each once, `**` being any number of folders; else as `files_below`."""
    yield from dict.fromkeys(_search(Path(glob.anchor), glob.relative_to(glob.anchor).parts, _Looked(source)))


class _Looked:
    """Counts what a search has looked at, so that it ends."""

    def __init__(self, source: str) -> None:
        self._source, self._number = source, 0

    def entries(self, folder: Path) -> list[os.DirEntry[str]]:
        """What lies in a folder, hidden things left out. Raises InputError once the search goes too far."""
        visible = []
        with os.scandir(folder) as entries:
            for entry in entries:
                self._number += 1
                if self._number > MAX_ENTRIES:
                    raise InputError(
                        f"There are more than {MAX_ENTRIES:,} files and folders at {shown(self._source)}: "
                        "name a folder closer to the texts."
                    )
                if not entry.name.startswith("."):
                    visible.append(entry)
        return visible


def _search(
    folder: Path, pattern: tuple[str, ...], looked: _Looked, entries: list[os.DirEntry[str]] | None = None
) -> Iterator[Path]:
    """The files below a folder that match the parts of a glob, `**` being any number of folders.

    entries: what lies in the folder, where that was looked at already.
    """
    part, rest = (pattern[0], pattern[1:]) if pattern else ("", ())
    if part == "**":
        while rest[:1] == ("**",):
            rest = rest[1:]
        entries = looked.entries(folder)
        yield from _search(folder, rest or ("*",), looked, entries)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _search(Path(entry.path), pattern, looked)
    elif not has_magic(part):
        if rest and (folder / part).is_dir():
            yield from _search(folder / part, rest, looked)
        elif part and not rest and (folder / part).is_file():
            yield folder / part
    else:
        for entry in looked.entries(folder) if entries is None else entries:
            if not fnmatch(entry.name, part):
                continue
            if rest and entry.is_dir():
                yield from _search(Path(entry.path), rest, looked)
            elif not rest and entry.is_file():
                yield Path(entry.path)
