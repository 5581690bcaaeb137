"""Tables of results as a report prints them, by what the dictionary of columns says of each column."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from attn_core.charts.claims import in_words
from attn_core.columns.dictionary import Column, Source, provenance_column, tables
from attn_core.io.tables import markdown
from attn_core.measures.statistics import BY_NAME, MAIN
from attn_core.report.document import Table

ROWS = 200  # of a table; the folder has the others
WIDE = {
    "heads": ("layer", "head", "role", "anchor", "repeated_tokens", *MAIN),
    "layers": ("layer", *MAIN),
}  # what a page has room for, of the tables of a text and a study
CLAIMS = {
    "name": "claim", "abstract": "what the abstract says", "verdict": "verdict", "reason": "because",
    "number": "effect [95%]", "chance_number": "by chance", "untrained_number": "untrained copies",
    "shuffled_weights_number": "shuffled weights", "shuffled_text_number": "shuffled text",
    "more_than_untrained": "more than untrained", "thresholds": "thresholds",
}  # fmt: skip
UNSAID = (
    "program",
    "program_version",
    "files",
    "argv",
    "subjects",
)  # of the provenance: another part of a report says it
WORDS = {"True": "yes", "False": "no"}
DASH = "–"


def of_claims(claims: pd.DataFrame) -> Table:
    """The claims of a subject, a row each."""
    shown = in_words(claims)
    rows = shown[list(CLAIMS)].astype(str).itertuples(index=False, name=None)
    return Table("The claims of the paper", tuple(CLAIMS.values()), tuple(rows), words=None)


def of_table(name: str, table: pd.DataFrame, source: Source, about: str = "") -> Table:
    """Any table: a value with its interval in brackets and its chance level in parentheses. about: whose it is."""
    shown = _shown(name, table, source)
    units = {column.name: column.unit for column in columns_of(name, source)}
    rows = [
        tuple(_with_others(row, column, units.get(column, "")) for column in shown)
        for row in table.head(ROWS).to_dict("records")
    ]
    cut = f", the first {ROWS} of {len(table):,} rows" if len(table) > ROWS else ""
    words = max((at for at, column in enumerate(shown) if not pd.api.types.is_numeric_dtype(table[column])), default=0)
    return Table(
        f"{about}{name.replace('_', ' ')}{cut}", tuple(map(_heading, shown)), tuple(rows), words + 1, folded=True
    )


def in_markdown(name: str, table: pd.DataFrame, source: Source) -> str:
    """A table as a command prints it."""
    printed = of_table(name, table, source)
    return f"{printed.title}:\n\n{markdown(printed.head, printed.rows)}"


def columns_of(name: str, source: Source) -> tuple[Column, ...]:
    """What the dictionary says of the columns of a table; nothing of a table that it has not."""
    return next((table.columns for table in tables() if table.name == name and source in table.sources), ())


def meanings(name: str, table: pd.DataFrame, source: Source) -> Iterator[str]:
    """What the columns that are printed mean, in Markdown."""
    for column in columns_of(name, source):
        if column.name in _shown(name, table, source):
            chance = f" Chance level: {column.chance}." if column.chance else ""
            yield f"**{_heading(column.name)}**: {column.meaning}{chance}"


def of_provenance(provenance: Mapping[str, object], title: str = "Where the numbers come from") -> Table:
    """Each field with what it means."""
    rows = []
    for name, value in provenance.items():
        if name not in UNSAID and value not in ("", None):
            column = provenance_column(name)
            rows.append((name.replace("_", " "), _told(value), column.meaning if column else ""))
    return Table(title, ("what", "here", "meaning"), tuple(rows), words=None)


def _shown(name: str, table: pd.DataFrame, source: Source) -> list[str]:
    """The columns that are printed; bounds and chance levels stand in the cells of what they are of."""
    wide = WIDE.get(name, ()) if source in ("text", "study") else ()
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
        return BY_NAME[column].exactly(value)
    if isinstance(value, float):
        return f"{100 * value:.3g}%" if unit == "share" else f"{value:.4g}"
    return WORDS.get(str(value), str(value))


def _heading(column: str) -> str:
    return BY_NAME[column].label if column in BY_NAME else column.replace("_", " ")


def _told(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(str(one[0]) if isinstance(one, list | tuple) and one else str(one) for one in value)
    return WORDS.get(str(value), str(value))
