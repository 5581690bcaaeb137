"""The texts that a user pasted or uploaded, kept on this machine until the user deletes them.

A text is a file in a folder of the user's cache, named by the SHA-256 of what it holds: an edited text is another file. A file
of another name is not listed. Where nothing is to be kept, nothing is.
"""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path

from attn_core.io.atomic_files import write_file

VARIABLE = "ATTN_CORE_CACHE"  # names another folder than the user's cache; "off" keeps nothing
LONGEST_NAME = 60  # characters
SIGN = 8  # characters of a text's SHA-256 in a link
NAMES = f"{'[0-9a-f]' * 64}.txt"


@dataclass(frozen=True)
class OwnText:
    """A text that is kept, and its file."""

    file: Path
    text: str

    @cached_property
    def name(self) -> str:
        """Its first words."""
        return first_words(self.text)

    @property
    def link(self) -> str:
        """What names it in an address and in a list: texts may begin alike."""
        return f"{self.name} · {self.file.name[:SIGN]}"


def folder() -> Path | None:
    """Where the texts lie; None where nothing is to be kept."""
    if named := os.environ.get(VARIABLE):
        return None if named == "off" else Path(named) / "texts"
    return user_cache_path("attn_core", appauthor=False, opinion=False) / "texts"


def every() -> dict[str, OwnText]:
    """All texts by their links, the latest first."""
    place, texts = folder(), []
    for file in place.glob(NAMES) if place else ():
        with suppress(OSError, UnicodeDecodeError):  # another process may have deleted it
            text = file.read_bytes().decode("utf-8", "surrogatepass")
            texts.append((-file.stat().st_mtime_ns, OwnText(file, text)))
    return {own.link: own for _, own in sorted(texts, key=lambda each: (each[0], each[1].file))}


def keep(text: str) -> OwnText | None:
    """Keep a text; one that is kept already becomes the latest. None where nothing is to be kept.

    Raises OSError where it cannot be written.
    """
    place, data = folder(), text.encode("utf-8", "surrogatepass")
    if place is None:
        return None
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.chmod(0o700)  # it may have been made by another program, for all to read
    file = place / f"{sha256(data).hexdigest()}.txt"
    write_file(file, data)
    file.chmod(0o600)
    return OwnText(file, text)


def first_words(text: str) -> str:
    """The beginning of a text in one line that can be printed, cut after a word."""
    first = next((line for line in text.splitlines() if re.search(r"\w", line)), "")
    line = " ".join("".join(c if c.isprintable() else " " for c in first).split())
    if len(line) > LONGEST_NAME:
        line = line[: LONGEST_NAME + 1].rpartition(" ")[0] or line[:LONGEST_NAME]
    return line or "Text"
