"""Dictionary of the columns, with meaning, unit and chance level, and of the terms in a report.

`measures.statistics` describes the statistics, `claims.claim` the effects, columns.toml all else and the terms.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from attn_core.claims.claim import CLAIMS
from attn_core.io.exports import markdown
from attn_core.measures.statistics import BY_NAME, COUNTED, HEAD_OVERLAP, OF_HEADS, Statistic

Source = Literal["text", "study", "comparison", "ablation", "printed"]
SOURCES = get_args(Source)
UNITS = {"tokens": "tokens, or words", "share": "share", "times": "times", "ratio": "ratio", "decibels": "dB"}
EFFECTS = "EFFECTS"
BLOCKS = {"STATISTICS": COUNTED, "LAYERS": (HEAD_OVERLAP, *OF_HEADS)}


@dataclass(frozen=True)
class Column:
    """A column of a table. chance: meaning of `chance_<name>`, empty if there is no such column."""

    name: str
    meaning: str
    unit: str = ""
    chance: str = ""


@dataclass(frozen=True)
class Table:
    """An exported table. row: what a row describes."""

    name: str
    row: str
    sources: tuple[Source, ...]
    columns: tuple[Column, ...]


@cache
def tables() -> tuple[Table, ...]:
    """All exported tables, in the order of columns.toml."""
    content = _load()
    everywhere = content["provenance"]["columns"] | content["everywhere"]
    groups = {tuple(source for source in SOURCES if source in group.split("-")): group for group in content}
    return tuple(
        Table(name, one["row"], sources, tuple(_columns(one, everywhere)))
        for sources, group in groups.items()
        if sources
        for name, one in content[group].items()
    )


def in_markdown() -> str:
    """The whole dictionary in Markdown."""
    content = _load()
    parts = ["# Every column of every table", content["introduction"].strip()]
    for source in SOURCES:
        parts.append(f"## {content['sources'][source]}")
        for table in tables():
            if source == table.sources[0]:
                also = "; ".join(content["sources"][other] for other in table.sources[1:])
                row = f"{table.row} Also under: {also}." if also else table.row
                parts += [f"### {table.name}", row, _rows(table.columns)]
            elif source in table.sources:
                parts.append(f"**{table.name}**: as under *{content['sources'][table.sources[0]]}*.")
    parts += ["## Where a table comes from", content["provenance"]["row"], _rows(_provenance(content))]
    return "\n\n".join(parts) + "\n"


def provenance_column(name: str) -> Column | None:
    """The description of a field of the provenance; None for an unknown field."""
    return next((column for column in _provenance(_load()) if column.name == name), None)


@cache
def _load() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("columns.toml").read_text("utf-8"))


def _provenance(content: dict[str, Any]) -> list[Column]:
    return [_column(name, about) for name, about in content["provenance"]["columns"].items()]


def _columns(table: dict[str, Any], everywhere: dict[str, Any]) -> list[Column]:
    found = []
    for name in table["columns"]:
        if name in BLOCKS:
            found += [_of_statistic(statistic) for statistic in BLOCKS[name]]
        elif name == EFFECTS:
            found += [Column(one.effect, f"{one.label} ({one.name}).", one.unit) for one in CLAIMS]
        elif about := table.get(name) or everywhere.get(name):
            found.append(_column(name, about))
        else:
            found.append(_of_statistic(BY_NAME[name]))
    return found


def _column(name: str, about: str | list[str]) -> Column:
    return Column(name, about) if isinstance(about, str) else Column(name, *about)


def _of_statistic(statistic: Statistic) -> Column:
    return Column(statistic.name, statistic.question, UNITS[statistic.unit], statistic.by_chance)


def _rows(columns: Sequence[Column]) -> str:
    rows = [
        (f"`{one.name}`", one.meaning, one.unit, f"`chance_{one.name}`: {one.chance}" if one.chance else "")
        for one in columns
    ]
    return markdown(["column", "meaning", "unit", "chance level"], rows)


def terms() -> tuple[tuple[str, str], ...]:
    """Every term of a report with its meaning."""
    return tuple(_load()["terms"].items())
