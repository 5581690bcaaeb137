"""What a report consists of, and how it becomes one file of HTML that needs no other.

Whatever comes from texts, tokens and names is escaped by the template; only what is ours alone may have emphasis. At its end
stands how to cite the program and the paper that it implements, as CITATION.cff says. The file is written whole or not at all,
and never in place of what is not a report as this program wrote it.
"""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from attn_core import __version__
from attn_core.errors import InputError
from attn_core.io.atomic_files import write_file
from attn_core.io.paths import shown
from attn_core.io.tables import markdown

EMPHASIS = ((re.compile(r"\*\*(.+?)\*\*"), r"<strong>\1</strong>"), (re.compile(r"\*(.+?)\*"), r"<em>\1</em>"))
# What would not be seen, or would turn the line around it: controls, marks of direction.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
PROGRAM = "attn-core: what attention heads make alike"
AUTHORS = "The attn-core maintainers"
PAPER = "Self-attention vector output similarities reveal how machines pay attention"
NAMES = ("Halevi", "Tzach", "Gross", "Rosner", "Kanter")
JOURNAL, VOLUME, YEAR = "Physica A: Statistical Mechanics and its Applications", 686, 2026
ADDRESS = "https://arxiv.org/abs/2512.21956"
MARK = re.compile(rb"<!-- attn-core report, sha256 of what stands above: ([0-9a-f]{64}) -->\n\Z")


@dataclass(frozen=True)
class Figure:
    """A drawing. alt: what it shows in one sentence of its numbers, for who cannot see it. caption: how to read it.

    half: as wide as half a page, so that another, or what it is about, stands beside it.
    """

    title: str
    caption: str
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

    @classmethod
    def of(cls, title: str, rows: Sequence[Mapping[str, str]], words: int | None = 1, folded: bool = False) -> "Table":
        """A table of one row or more, each cell beside its heading."""
        return cls(title, tuple(rows[0]), tuple(tuple(row.values()) for row in rows), words, folded)


@dataclass(frozen=True)
class Entry:
    """A heading, what is told under it, and the figures that it is told of."""

    heading: str
    told: tuple[str, ...]
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Section:
    """A part under a heading, in the order of the fields. points: in Markdown, and ours alone; all else as it is.

    quoted: a text of the reader's. code: commands, or what is to be copied. folded: its heading alone is seen, until it is
    clicked or printed.
    """

    heading: str
    told: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    points: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    tables: tuple[Table, ...] = ()
    quoted: str = ""
    code: str = ""
    folded: bool = False


def in_markdown(section: Section) -> str:
    """What a section says, and its tables, as a command prints them."""
    parts = [*section.told]
    for table in section.tables:
        parts += [f"{table.title}:", markdown(table.head, table.rows)]
    return "\n\n".join(parts)


@dataclass(frozen=True)
class Report:
    """What is handed on. kind: what it is a report of, in words."""

    title: str
    kind: str
    sections: tuple[Section, ...]


def html(report: Report) -> bytes:
    """The report as one file, the same bytes for the same report; how to cite the program stands at its end."""
    sections = (*report.sections, Section("How to cite this", code=bibtex(), folded=True))
    told = {"report": report, "sections": sections, "version": __version__, "next_number": count(1).__next__}
    return _template().render(told).encode()


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("attn_core.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )
    environment.filters["emphasised"] = emphasised
    return environment.get_template("report.html.jinja")


def emphasised(text: str) -> Markup:
    """Markdown's two kinds of emphasis, all else escaped."""
    told = str(escape(_seen(text)))
    for pattern, put in EMPHASIS:
        told = pattern.sub(put, told)
    return Markup(told)


def _seen(value: object) -> object:
    """A string without what would not be seen in it."""
    return UNSEEN.sub("\N{REPLACEMENT CHARACTER}", value) if type(value) is str else value


def bibtex() -> str:
    """Two entries of BibTeX: this version of the program, and the paper."""
    return f"""@software{{attn_core,
  title   = {{{PROGRAM}}},
  author  = {{{{{AUTHORS}}}}},
  version = {{{__version__}}}
}}

@article{{halevi2026,
  title   = {{{PAPER}}},
  author  = {{{" and ".join(NAMES)}}},
  journal = {{{JOURNAL}}},
  volume  = {{{VOLUME}}},
  year    = {{{YEAR}}},
  url     = {{{ADDRESS}}}
}}"""


def marked(html: bytes) -> bytes:
    """A report with its own digest in its last line, by which it is known again."""
    return html + f"\n<!-- attn-core report, sha256 of what stands above: {sha256(html).hexdigest()} -->\n".encode()


def refuse_others(file: Path) -> None:
    """Raises InputError where a report must not be written: in place of a folder, or of a file that is none of ours as we
    wrote it."""
    if file.is_dir():
        raise InputError(f"{shown(file)} is a folder: name a file for the report, such as report.html.")
    if file.is_symlink() and not file.exists():
        raise InputError(f"{shown(file)} is a link that leads nowhere: name a file.")
    if file.is_file() and (data := file.read_bytes()) and not _is_ours(data):
        raise InputError(
            f"{shown(file)} is another file, or a report that was changed since, and is not overwritten: choose another name."
        )


def write_report(html: bytes, file: Path) -> None:
    """Write a report. Raises InputError as `refuse_others` does, OSError where it cannot be written."""
    refuse_others(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, marked(html))


def _is_ours(data: bytes) -> bool:
    mark = MARK.search(data)
    return mark is not None and sha256(data[: mark.start() - 1]).hexdigest().encode() == mark[1]
