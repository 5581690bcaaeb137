"""The dictionary of columns: each with its meaning, its unit and its chance level; and what the terms mean.

Statistics are described in `measures.statistics`, every other column by a line in columns.toml. The terms
that stand on the pages, in the README and in reports have theirs in terms.toml.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from attn_core.io.tables import markdown
from attn_core.measures.statistics import BY_NAME, COUNTED, HEAD_OVERLAP, OF_HEADS, Statistic

Source = Literal["text", "study", "comparison", "ablation", "printed"]
SOURCES = get_args(Source)
UNITS = {"tokens": "tokens, or words", "share": "share", "times": "times", "ratio": "ratio", "decibels": "dB"}
BLOCKS = {  # what a table may name
    "STATISTICS": COUNTED,
    "LAYERS": (HEAD_OVERLAP, *OF_HEADS),
}


@dataclass(frozen=True)
class Column:
    """A column of a table. chance: what stands in `chance_<name>`, empty where there is no such column."""

    name: str
    meaning: str
    unit: str = ""
    chance: str = ""


@dataclass(frozen=True)
class Table:
    """A table that is exported. row: what one row is. sources: what has it, see `Source`."""

    name: str
    row: str
    sources: tuple[Source, ...]
    columns: tuple[Column, ...]


@cache
def tables() -> tuple[Table, ...]:
    """Every table, in the order of columns.toml."""
    content = _load()
    everywhere = content["provenance"]["columns"] | content["everywhere"]
    return tuple(
        Table(one["name"], one["row"], tuple(one["sources"]), tuple(_columns(one, everywhere)))
        for one in content["table"]
    )


def in_markdown() -> str:
    """The whole dictionary in Markdown, as `columns` prints it and the ZIP has it."""
    content = _load()
    parts = ["# Every column of every table", content["introduction"].strip()]
    for source in SOURCES:
        parts.append(f"## {content['sources'][source]}")
        for table in tables():
            if source == table.sources[0]:
                parts += [f"### {table.name}", _said_of(table, content["sources"]), _rows(table.columns)]
            elif source in table.sources:
                parts.append(f"**{table.name}**: as under *{content['sources'][table.sources[0]]}*.")
    parts += ["## Where a table comes from", content["provenance"]["row"], _rows(_provenance(content))]
    return "\n\n".join(parts) + "\n"


def provenance_column(name: str) -> Column | None:
    """What a field of the provenance is."""
    return next((column for column in _provenance(_load()) if column.name == name), None)


@cache
def _load(file: Literal["columns", "terms"] = "columns") -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / f"{file}.toml").read_text("utf-8"))


def _provenance(content: dict[str, Any]) -> list[Column]:
    return [_column(name, said) for name, said in content["provenance"]["columns"].items()]


def _columns(table: dict[str, Any], everywhere: dict[str, Any]) -> list[Column]:
    found = []
    for name in table["columns"]:
        if name in BLOCKS:
            found += [_of_statistic(statistic) for statistic in BLOCKS[name]]
        elif said := table.get("own", {}).get(name) or everywhere.get(name):
            found.append(_column(name, said))
        else:
            found.append(_of_statistic(BY_NAME[name]))
    return found


def _column(name: str, said: str | dict[str, str]) -> Column:
    return Column(name, said) if isinstance(said, str) else Column(name, **said)


def _of_statistic(statistic: Statistic) -> Column:
    return Column(statistic.name, statistic.question, UNITS[statistic.unit], statistic.by_chance)


def _said_of(table: Table, sources: dict[str, str]) -> str:
    others = [sources[source] for source in table.sources[1:]]
    return table.row + (f" Also under: {'; '.join(others)}." if others else "")


def _rows(columns: Sequence[Column]) -> str:
    rows = [
        (f"`{one.name}`", one.meaning, one.unit, f"`chance_{one.name}`: {one.chance}" if one.chance else "")
        for one in columns
    ]
    return markdown(["column", "meaning", "unit", "chance level"], rows)


def question() -> str:
    """What all of it asks, in Markdown."""
    return _load("terms")["question"]


def paper() -> tuple[str, str]:
    """The paper in Markdown, and its address."""
    return _load("terms")["paper"], _load("terms")["address"]


def terms() -> dict[str, str]:
    """The meaning of every term by its key, in Markdown."""
    return _load("terms")["terms"]
