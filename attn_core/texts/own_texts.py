"""The texts that a user pasted or uploaded, kept as files in the user's data folder until the user deletes them.

A file has the SHA-256 of its text as its name, so an edited text is a new file. Files with other names are ignored.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from platformdirs import user_data_path

from attn_core.io.atomic_files import read_bytes, write_file

LONGEST_NAME = 60  # characters
SIGN = 8  # characters of a text's SHA-256 in a link
NAMES = f"{'[0-9a-f]' * 64}.txt"


@dataclass(frozen=True)
class OwnText:
    """A text and its file. name: its first words; link: a unique name, for lists and addresses."""

    file: Path
    text: str

    @property
    def name(self) -> str:
        return first_words(self.text)

    @property
    def link(self) -> str:
        return f"{self.name} · {self.file.name[:SIGN]}"


def folder() -> Path:
    """The folder of the texts."""
    return user_data_path("attn_core", appauthor=False) / "texts"


def every() -> dict[str, OwnText]:
    """All texts by link, the latest first."""
    texts = []
    for file in folder().glob(NAMES):
        with suppress(OSError, UnicodeDecodeError):  # another process may have deleted it
            texts.append((-file.stat().st_mtime_ns, OwnText(file, read_bytes(file).decode("utf-8", "surrogatepass"))))
    return {own.link: own for _, own in sorted(texts, key=lambda each: (each[0], each[1].file))}


def keep(text: str) -> OwnText:
    """The text, written to a file that only the user can read; it becomes the latest. Raises OSError if that fails."""
    data = text.encode("utf-8", "surrogatepass")
    own = OwnText(folder() / f"{sha256(data).hexdigest()}.txt", text)
    write_file(own.file, data, private=True)
    folder().chmod(0o700)
    return own


def first_words(text: str) -> str:
    """The beginning of a text as one printable line, cut after a word."""
    first = next((line for line in text.splitlines() if re.search(r"\w", line)), "")
    line = " ".join("".join(c if c.isprintable() else " " for c in first).split())
    if len(line) > LONGEST_NAME:
        line = line[: LONGEST_NAME + 1].rpartition(" ")[0] or line[:LONGEST_NAME]
    return line or "Text"
