"""The texts that a user pasted or uploaded, kept on this machine under names until the user deletes them.

A text is a file of its own, `SHA-256.txt` or, for a table, `.csv`, beside a label `SHA-256.txt.json` with its name and where it
came from. A text never changes: one that was edited is another text. A link names a text by its name and the beginning of
its SHA-256, which finds it under whatever name, and never another text that got the name since.

They lie beside what `kept` keeps, never in it, so that no text goes to make room. Where `kept` is off, nothing is kept here.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock

from filelock import FileLock

from attn_core.errors import TextError
from attn_core.io import disk_cache
from attn_core.io.atomic_files import LONGEST, write_files

LONGEST_NAME = 60  # characters
SIGN = 8  # characters of a text's SHA-256 that a link has beside its name
LABEL = re.compile(r"[0-9a-f]{64}\.(txt|csv)\.json")  # the folder may hold what is not ours
UNFINISHED = r"\.{}[0-9a-f]*\.\d+-\d+-\d+\.tmp"  # what a process that was ended left of a text whose digest begins so
_threads = Lock()  # a lock of files is one for all threads of a process


@dataclass(frozen=True)
class OwnText:
    """A text that is kept. file: its name in the folder. origin: how an upload was read."""

    file: str
    name: str
    origin: str = ""

    @property
    def link(self) -> str:
        """What names it in an address, and in lists that stand in one."""
        return f"{self.name} · {self.file[:SIGN]}"

    @property
    def is_table(self) -> bool:
        return self.file.endswith(".csv")


def folder() -> Path | None:
    """Where the texts lie; None where nothing shall be kept."""
    place = disk_cache.folder()
    return place / "texts" if place else None


def every() -> dict[str, OwnText]:
    """All texts by their names, the latest first."""
    texts: dict[str, OwnText] = {}
    for own in _labels():
        name = _free(own.name, texts)  # another process may have given the same name at the same moment
        texts[name] = replace(own, name=name)
    return texts


def linked(tables: bool = True) -> dict[str, OwnText]:
    """All texts by what names them in an address, the latest first; without tables none of whose column would be asked."""
    return {own.link: own for own in every().values() if tables or not own.is_table}


def find(link: str) -> OwnText | None:
    """The text that a link names, whatever its name is now."""
    _, _, sign = link.rpartition(" · ")
    return next((own for own in every().values() if own.file[:SIGN] == sign), None)


def keep(text: str, name: str, is_table: bool = False, origin: str = "") -> OwnText | None:
    """Keep a text, whole or not at all; the same text stays one, with its name. None where nothing shall be kept.

    Raises OSError where it cannot be written.
    """
    place, data = folder(), text.encode("utf-8", "surrogatepass")
    if place is None:
        return None
    file = f"{sha256(data).hexdigest()}.{'csv' if is_table else 'txt'}"
    with _one_at_a_time(place):
        known = every()
        if same := next((own for own in known.values() if own.file == file), None):
            _write(place, {file: data})  # the latest now, and mended where it was damaged
            return same
        own = OwnText(file, _free(tidy(name), known), origin)
        _write(place, {file: data, f"{file}.json": _label(own)})
    return own


def read(own: OwnText) -> str:
    """The text itself. Raises TextError where its file is gone or damaged."""
    place = folder()
    with suppress(OSError, UnicodeDecodeError):
        if place and sha256(data := (place / own.file).read_bytes()).hexdigest() == own.file[:64]:
            return data.decode("utf-8", "surrogatepass")
    raise TextError(
        f"The file of your text “{own.name}” is gone or was changed: delete it under My texts, or paste it again."
    )


def rename(own: OwnText, name: str) -> OwnText:
    """Give a text another name; a link with the one that it had still finds it. Raises OSError where it cannot be written."""
    place = folder()
    if place is None or not (place / own.file).exists():  # a label whose text is gone would outlive it
        return own
    with _one_at_a_time(place):
        others = {other.name for other in every().values() if other.file != own.file}
        if (new := _free(tidy(name), others)) == own.name:
            return own
        renamed = replace(own, name=new)
        _write(place, {f"{own.file}.json": _label(renamed)})
    return renamed


def delete(own: OwnText) -> None:
    """Delete a text, and what is left of it. Raises OSError where that cannot be."""
    _delete(own.file[:LONGEST])


def delete_all() -> None:
    """Delete every text, and nothing else that lies there. Raises OSError where that cannot be."""
    _delete("")


def name_from(text: str) -> str:
    """A name from the first words of a text."""
    return tidy(next((line for line in text.splitlines() if re.search(r"\w", line)), ""))


def tidy(name: str) -> str:
    """A name in one line that can be printed, cut after a word where it is long."""
    words = "".join(c if c.isprintable() else " " for c in name).split()
    line = " ".join(words)
    if len(line) > LONGEST_NAME:
        line = line[: LONGEST_NAME + 1].rpartition(" ")[0] or line[:LONGEST_NAME]
    return line or "Text"


def _labels() -> Iterator[OwnText]:
    """What the labels say, the latest text first; what is no label of ours is passed over."""
    place, labelled = folder(), []
    for file in place.glob("*.json") if place else ():
        with suppress(OSError, ValueError, KeyError, IndexError, TypeError, RecursionError):
            if LABEL.fullmatch(file.name):
                label = json.loads(file.read_text("utf-8"))
                own = OwnText(file.stem, str(label["names"][0]), str(label["origin"]))
                labelled.append((file.with_suffix("").stat().st_mtime_ns, own))
    return (own for _, own in sorted(labelled, key=lambda each: (-each[0], each[1].file)))


@contextmanager
def _one_at_a_time(place: Path) -> Iterator[None]:
    """No other thread and no other process gives a name meanwhile."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.chmod(0o700)  # it may have been made by another program, for all to read
    with _threads, FileLock(place.with_name("texts.lock"), mode=0o600):
        yield


def _write(place: Path, files: dict[str, bytes]) -> None:
    """Files that only this user reads; a link in their place is replaced, never written through."""
    for name in files:
        if (place / name).is_symlink():
            (place / name).unlink()
    write_files(files, place)
    for name in files:
        (place / name).chmod(0o600)


def _delete(digest: str) -> None:
    """Every file of texts whose SHA-256 begins so, be their labels damaged, be they there or not."""
    ours = re.compile(rf"{digest}[0-9a-f]{{{64 - len(digest)}}}\.(txt|csv)(\.json)?|{UNFINISHED.format(digest)}")
    place = folder()
    for file in place.iterdir() if place and place.is_dir() else ():
        if ours.fullmatch(file.name):
            file.unlink(missing_ok=True)


def _label(own: OwnText) -> bytes:
    return json.dumps({"names": [own.name], "origin": own.origin}).encode()


def _free(name: str, taken: "set[str] | dict[str, OwnText]") -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free
