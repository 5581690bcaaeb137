"""Tables of results with formatted cells, in the units of the dictionary of columns."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from attn_core.charts.catalogue import Tables
from attn_core.claims.table import HEADINGS, readable_claims
from attn_core.columns.dictionary import Column, provenance_column, tables
from attn_core.io.exports import markdown
from attn_core.measures.statistics import BY_NAME, MAIN
from attn_core.report.document import Table

ROWS = 200  # of a table at most; the folder has all
WIDE = {
    "heads": ("layer", "head", "role", "anchor", "repeated_tokens", *MAIN),
    "layers": ("step", "layer", *MAIN),
    "relations": ("relation", "map", "pairs", "score", "pointing", "fixed_offset", "pointing_heads"),
    "joined": ("relation", "way", "pairs", "accuracy", "heads"),
}  # columns of wide tables that a report shows
OF_STUDY = ("text", "training", "study")  # kinds of tables described under text or study
ELSEWHERE = ("program", "program_version", "files", "argv", "subjects")  # shown in other parts of a report
YES = {"True": "yes", "False": "no"}
DASH = "–"


def of_claims(claims: pd.DataFrame) -> Table:
    """The table of the claims of a subject."""
    shown = readable_claims(claims)[list(HEADINGS)].astype(str)
    shown = shown.loc[:, (shown != "").any()].rename(columns=HEADINGS)
    return Table("The claims of the paper", tuple(shown), tuple(shown.itertuples(index=False, name=None)), words=None)


def of_table(of: Tables, name: str, table: pd.DataFrame) -> Table:
    """A table with intervals in brackets and chance levels in parentheses."""
    shown = _shown(of, name, table)
    units = {column.name: column.unit for column in _columns(of, name)}
    rows = [
        tuple(_with_others(row, column, units.get(column, "")) for column in shown)
        for row in table.head(ROWS).to_dict("records")
    ]
    title = f"{of.subject}: {name}" if of.subject else name
    cut = f", the first {ROWS} of {len(table):,} rows" if len(table) > ROWS else ""
    words = max((at for at, column in enumerate(shown) if not pd.api.types.is_numeric_dtype(table[column])), default=0)
    head = tuple(map(_heading, shown))
    return Table(title.replace("_", " ") + cut, head, tuple(rows), words + 1, folded=True)


def in_markdown(of: Tables, name: str, table: pd.DataFrame) -> str:
    """The table of `of_table` in Markdown."""
    printed = of_table(of, name, table)
    return f"{printed.title}:\n\n{markdown(printed.head, printed.rows)}"


def meanings(of: Tables, name: str, table: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Heading, meaning and chance level of the shown columns."""
    shown = _shown(of, name, table)
    return [(_heading(one.name), one.meaning, one.chance) for one in _columns(of, name) if one.name in shown]


def of_provenance(provenance: Mapping[str, object]) -> Table:
    """The table of the provenance, with the meaning of each field."""
    rows = []
    for name, value in provenance.items():
        if name not in ELSEWHERE and value not in ("", None):
            column = provenance_column(name)
            rows.append((name.replace("_", " "), _listed(value), column.meaning if column else ""))
    return Table("Where the numbers come from", ("what", "here", "meaning"), tuple(rows), words=None)


def _columns(of: Tables, name: str) -> tuple[Column, ...]:
    """The columns of a table in the dictionary; empty for an unknown table."""
    sources = {"text", "study"} if of.kind in OF_STUDY else {of.kind}
    return next((table.columns for table in tables() if table.name == name and sources & {*table.sources}), ())


def _shown(of: Tables, name: str, table: pd.DataFrame) -> list[str]:
    """The columns to show, without bounds and chance levels, which are in the cells of their columns."""
    wide = WIDE.get(name, ()) if of.kind in OF_STUDY else ()
    known = [column for column in wide or table if column in table and table[column].notna().any()]
    others = {other for column in known for other in _others(column)}
    return [column for column in known if column not in others]


def _others(column: str) -> tuple[str, str, str]:
    return f"{column}_low", f"{column}_high", f"chance_{column}"


def _with_others(row: Mapping[Any, Any], column: str, unit: str) -> str:
    value, *bounds, chance = (_cell(row.get(name), column, unit) for name in (column, *_others(column)))
    interval = "" if DASH in bounds else f" [{', '.join(bounds)}]"
    return value + interval + ("" if chance == DASH else f" ({chance})")


def _cell(value: Any, column: str, unit: str) -> str:
    if value is None or pd.isna(value):
        return DASH
    if column in BY_NAME:
        return f"{value:z{BY_NAME[column].format}}"
    if isinstance(value, float):
        return f"{100 * value:.3g}%" if unit == "share" else f"{value:.4g}"
    return YES.get(str(value), str(value))


def _heading(column: str) -> str:
    return BY_NAME[column].label if column in BY_NAME else column.replace("_", " ")


def _listed(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one}" for key, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else YES.get(str(value), str(value))
