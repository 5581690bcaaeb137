"""The parts of a report, and its HTML file.

The template escapes everything that it is given.
"""

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from attn_core import __version__
from attn_core.io.atomic_files import refuse_others, write_file

# Control characters, direction marks and surrogates.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
GENERATOR = b'<meta name="generator" content="attn-core '  # a file without it is not overwritten


@dataclass(frozen=True)
class Figure:
    """A drawing. alt: alternative text. half: whether it is half as wide as the page."""

    title: str
    alt: str
    svg: str
    half: bool = False

    @property
    def address(self) -> str:
        """The drawing as a data URL, which isolates its ids and scripts from the page."""
        return f"data:image/svg+xml;base64,{b64encode(self.svg.encode()).decode()}"


@dataclass(frozen=True)
class Table:
    """Formatted cells. words: number of leading columns with words, None for all. folded: whether it is collapsed."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int | None = 1
    folded: bool = False


@dataclass(frozen=True)
class Section:
    """A part under a heading. folded: whether it is collapsed."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    code: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Report:
    """A title and its sections."""

    title: str
    sections: tuple[Section, ...]


def html(report: Report) -> bytes:
    """The report as one HTML file, byte-identical for equal reports."""
    template = _environment().get_template("report.html.jinja")
    return template.render(report=report, next_number=count(1).__next__, version=__version__).encode()


def fragment(section: Section) -> str:
    """The section as HTML for a cell of a notebook."""
    return _environment().get_template("notebook.html.jinja").render(section=section)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("attn_core.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_seen,
    )  # fmt: skip


def _seen(value: object) -> object:
    """A string with invisible characters replaced; any other value unchanged."""
    return UNSEEN.sub("\N{REPLACEMENT CHARACTER}", value) if type(value) is str else value


def write_report(html: bytes, file: Path) -> None:
    """Write a report atomically. Raises InputError for another file in its place, and OSError."""
    refuse_others(file, GENERATOR)
    write_file(file, html)
