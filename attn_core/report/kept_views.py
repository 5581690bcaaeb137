"""The notebook of views: what a user kept of the pages, with notes, in one plain file beside the studies.

A view is the page's name, its address (every choice that is not the default), a note, and the main numbers as they were then.
A file that cannot be read as one of ours is never written over: it goes aside under another name, and the user is told.
Where nothing shall be kept (`disk_cache`), nothing is.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from urllib.parse import urlencode

from attn_core.errors import InputError
from attn_core.io import disk_cache
from attn_core.io.atomic_files import write_file
from attn_core.io.paths import last_part, shown
from attn_core.report.document import Entry, Section
from attn_core.texts.documents import samples

FILE = "kept_views.json"
PROGRAM = "attn-core views 1"
HOME = "Home"
PAGE = re.compile(r"[A-Z][A-Za-z ]{0,60}")
PATH = re.compile(r"~|\.{0,2}[/\\]|[A-Za-z]:[/\\]")
PRIVATE = ("mine", "text-b", "study_folder", "patterns_elsewhere")  # of an address: texts, and where folders lie
LONGEST_NOTE = 2000  # characters
_one_at_a_time = Lock()


@dataclass(frozen=True)
class KeptView:
    """A view of a page, by its name. address: (name, value) pairs. told: what it shows. numbers: the main ones, a line each.
    title: of the text or the study."""

    page: str
    address: tuple[tuple[str, str], ...]
    note: str
    title: str
    told: str
    numbers: tuple[str, ...] = ()

    @property
    def link(self) -> str:
        """The address as a browser takes it, seen from Home."""
        path = "./" if self.page == HOME else self.page.replace(" ", "_")
        return f"{path}?{urlencode(self.address)}" if self.address else path


class Notebook:
    """The views in a folder's file, the first of them first. Sessions that write at once do not lose each other's views."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE

    @property
    def kept(self) -> bool:
        """Whether anything is kept here."""
        return disk_cache.folder() is not None

    def views(self) -> list[KeptView]:
        """All views, none where there is no file. Raises InputError for a file that is damaged."""
        return list(read_views(self.file)) if self.kept and self.file.exists() else []

    def keep(self, view: KeptView) -> Path | None:
        """Add a view at the end; a damaged file goes aside first, and is returned. Raises OSError where it cannot be written."""
        aside = None
        with _one_at_a_time:
            try:
                views = self.views()
            except InputError:
                views, aside = [], self._put_aside()
            self._write([*views, replace(view, note=view.note[:LONGEST_NOTE])])
        return aside

    def delete(self, view: KeptView) -> None:
        """Take a view out, wherever it stands now. Raises InputError for a damaged file, OSError."""
        with _one_at_a_time:
            views = self.views()
            if view in views:
                views.remove(view)
                self._write(views)

    def move(self, view: KeptView, by: int) -> None:
        """Move a view up (-1) or down (1) as far as there is room. Raises as `delete` does."""
        with _one_at_a_time:
            views = self.views()
            if view in views:
                at = views.index(view)
                views.insert(min(max(at + by, 0), len(views) - 1), views.pop(at))
                self._write(views)

    def _write(self, views: Sequence[KeptView]) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        told = {"program": PROGRAM, "views": [asdict(view) for view in views]}
        write_file(self.file, json.dumps(told, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass"))

    def _put_aside(self) -> Path:
        """The file under a name that is free."""
        number = 1
        while (aside := self.file.with_name(f"{self.file.stem}.damaged-{number}.json")).exists():
            number += 1
        return self.file.rename(aside)


def read_views(file: Path) -> tuple[KeptView, ...]:
    """The views of a file. Raises InputError where it holds none that this program has written, OSError where it is not there."""
    try:
        told = json.loads(file.read_bytes().decode("utf-8", "surrogatepass"))
        if told["program"] != PROGRAM:
            raise ValueError("another program")
        return tuple(map(_view, told["views"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"{shown(file)} is damaged, or holds no views that this program has kept: it stays as it is, and is put aside when "
            "the next view is kept."
        ) from None


def _view(told: dict) -> KeptView:
    texts = [told[name] for name in ("page", "note", "title", "told")]
    numbers, pairs = told["numbers"], tuple((name, value) for name, value in told["address"])
    if not all(isinstance(text, str) for text in [*texts, *numbers, *(part for pair in pairs for part in pair)]):
        raise ValueError("a view of other parts")
    page, note, title, shows = texts
    if not PAGE.fullmatch(page):
        raise ValueError("no page")
    return KeptView(page, pairs, note, title, shows, tuple(numbers))


def chapter(views: Sequence[KeptView], quote: bool) -> Section:
    """The kept views as a chapter of a report: note, what each shows, its numbers, and the address that opens it again, but for
    where folders lie.

    quote: whether the names of texts may stand here, which begin as the texts do.
    """
    known = {sample.title for sample in samples()}
    entries = []
    for number, view in enumerate(views, start=1):
        public = [(name, value) for name, value in view.address if quote or name not in PRIVATE or value in known]
        shown = replace(
            view, address=tuple((name, last_part(value) if PATH.match(value) else value) for name, value in public)
        )
        title = view.title if quote or view.title in known else ""
        told = (view.note, ", ".join(filter(None, (title, view.told))), *view.numbers, f"Address: {shown.link}")
        entries.append(Entry(f"{number}. {view.page}", tuple(filter(None, told))))
    return Section("Kept views", told=() if entries else ("No view was kept.",), entries=tuple(entries))
