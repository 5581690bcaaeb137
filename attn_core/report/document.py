"""What a report consists of, and how it becomes one file of HTML that needs no other.

Whatever comes from texts, tokens and names is escaped by the template; only what is ours alone may have emphasis. The file is
written whole or not at all, and never in place of what is no report.
"""

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from attn_core import __version__
from attn_core.errors import InputError
from attn_core.io.atomic_files import write_file
from attn_core.io.paths import shown

EMPHASIS = ((re.compile(r"\*\*(.+?)\*\*"), r"<strong>\1</strong>"), (re.compile(r"\*(.+?)\*"), r"<em>\1</em>"))
# What would not be seen, or would turn the line around it: controls, marks of direction.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
GENERATOR = b'<meta name="generator" content="attn-core '  # of a report; what has none is not overwritten


@dataclass(frozen=True)
class Figure:
    """A drawing. alt: its alternative text. half: half as wide as the page."""

    title: str
    alt: str
    svg: str
    half: bool = False

    @property
    def address(self) -> str:
        """The drawing itself as an address, so that nothing in it is of the page: no name of its own, no script."""
        return f"data:image/svg+xml;base64,{b64encode(self.svg.encode()).decode()}"


@dataclass(frozen=True)
class Table:
    """Cells as they are printed. words: so many columns from the left are words, the others numbers; None: all are words.

    folded: its title alone stands there, until it is clicked.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int | None = 1
    folded: bool = False


@dataclass(frozen=True)
class Section:
    """A part under a heading, in the order of the fields. points: in Markdown, and ours alone; all else as it is.

    quoted: a text of the reader's. code: commands, or what is to be copied. folded: its heading alone is seen, until it is
    clicked or printed.
    """

    heading: str
    paragraphs: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    points: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    quoted: str = ""
    code: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Report:
    """What is handed on. kind: what it is a report of, in words."""

    title: str
    kind: str
    sections: tuple[Section, ...]


def html(report: Report) -> bytes:
    """The report as one file, the same bytes for the same report; how to cite the program stands at its end."""
    sections = (*report.sections, Section("How to cite this", code=citation(), folded=True))
    return _rendered("report.html.jinja", report=report, sections=sections, next_number=count(1).__next__).encode()


def citation() -> str:
    """Two entries of BibTeX: this version of the program, and the paper."""
    return _rendered("citation.bib.jinja")


def _rendered(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(values, version=__version__)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("attn_core.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_seen,
    )  # fmt: skip
    environment.filters["emphasised"] = emphasised
    return environment


def emphasised(text: str) -> Markup:
    """Markdown's two kinds of emphasis, all else escaped."""
    said = str(escape(_seen(text)))
    for pattern, put in EMPHASIS:
        said = pattern.sub(put, said)
    return Markup(said)


def _seen(value: object) -> object:
    """A string without what would not be seen in it."""
    return UNSEEN.sub("\N{REPLACEMENT CHARACTER}", value) if type(value) is str else value


def refuse_others(file: Path) -> None:
    """Raises InputError where a report must not be written: in place of a folder, or of a file that is no report."""
    if file.is_dir() or (file.is_symlink() and not file.exists()):
        raise InputError(f"{shown(file)} is a folder, or a link that leads nowhere: name a file, such as report.html.")
    if file.is_file() and (data := file.read_bytes()) and GENERATOR not in data:
        raise InputError(f"{shown(file)} is another file, and is not overwritten: choose another name.")


def write_report(html: bytes, file: Path) -> None:
    """Write a report. Raises InputError as `refuse_others` does, OSError where it cannot be written."""
    refuse_others(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, html)
