"""How tables, explanations and files to save appear, the same on every page."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd
import streamlit as st
from pandas.api.types import is_float_dtype

from attn_core.columns.dictionary import in_markdown, tables
from attn_core.io.exports import PROVENANCE as PROVENANCE_FILE
from attn_core.io.exports import Provenance, to_csv, to_zip
from attn_core.measures.statistics import BY_NAME
from attn_core.texts.token_names import readable
from attn_core.ui.widgets.escape import plain

if TYPE_CHECKING:
    from attn_core.report.document import Report


PROVENANCE = "provenance_of_the_page"  # in the session: where the numbers of the page come from
HELP = Path(__file__).parents[3] / "pages" / "help"
PERCENT = "%.1f%%"
TOKENS = frozenset({"token", "first_token", "second_token", "anchor", "anchor_word", "source_word"})
Files = Mapping[str, bytes]
T = TypeVar("T")


def table(
    made: pd.DataFrame | Callable[[], pd.DataFrame],
    name: str,
    columns: dict | None = None,
    *,
    fold: str = "",
    choices: Mapping[str, object] | None = None,
    provenance: Provenance | None = None,
    in_words: Callable[[pd.DataFrame], pd.DataFrame] = pd.DataFrame,
    **options: Any,
) -> Any:
    """Draw a table with a CSV button; columns of known statistics have their label, unit and question.

    made: the table, or a function that makes it where it is drawn. columns: settings of the page's own, in place of
    these. fold: a heading below which it is drawn once that is opened. choices: those of the page that decide its
    numbers, beside the page's own provenance. provenance: in its place. in_words: function from the table to what is
    shown of it. A chance level that is the same in every row is a sentence.
    """
    of_numbers = {**(st.session_state[PROVENANCE] if provenance is None else provenance), **(choices or {})}

    def draw() -> Any:
        frame = made if isinstance(made, pd.DataFrame) else made()
        settings = column_labels(frame) | (columns or {})
        shown, said = _without_constants(_as_read(in_words(frame), settings), settings, options.get("column_order"))
        event = st.dataframe(shown, hide_index=True, column_config=settings, key=f"table-{name}", **options)
        with facts():
            csv_button(frame, name, of_numbers)
            if said:
                st.caption(said)
        return event

    return folded(fold, name, draw) if fold else draw()


def folded(label: str, name: str, draw: Callable[[], object]) -> None:
    """Draw a heading, and below it a part of the page once it is opened: a table takes as long as several charts."""
    place = st.expander(label, key=f"open-{name}", bind="query-params")
    if place.open:
        with place:
            draw()


def in_columns(items: Iterable[T], across: int = 2) -> Iterator[T]:
    """Each item in turn: what is drawn for it stands in a column of its own, with so many of them across the page."""
    for at, item in enumerate(items):
        if at % across == 0:
            columns = st.columns(across, gap="large")
        with columns[at % across]:
            yield item


def column_labels(frame: pd.DataFrame) -> dict[str, Any]:
    """Streamlit's column settings: labels and units of statistics, bounds and chance levels; other names in words."""
    labels: dict[str, Any] = {}
    for column in frame.columns:
        statistic = BY_NAME.get(_described(column))
        if statistic is None:
            if column == "chance_token_coverage":
                labels[column] = share_column("chance of this token", "The share of all pairs that touch it.")
            elif _described(column) in _shares():
                labels |= shares(column)
            elif "_" in column and column.islower() and column.isidentifier():  # not the name of a model
                labels[column] = st.column_config.Column(_in_words(column))
            continue
        kinds = {statistic.chance: "chance", **dict(zip(statistic.bounds, ("95% from", "95% to"), strict=True))}
        label = f"{statistic.label} ({kinds[column]})" if column in kinds else statistic.label
        labels[column] = (
            share_column(label, statistic.question)
            if statistic.unit == "share"
            else st.column_config.NumberColumn(label, help=statistic.question, format=f"%{statistic.format}")
        )
    return labels


@cache
def _shares() -> frozenset[str]:
    """The columns that are shares, by the dictionary of columns."""
    return frozenset(column.name for one in tables() for column in one.columns if column.unit == "share")


def _described(column: str) -> str:
    """The column that a chance level or a bound belongs to."""
    return column.removeprefix("chance_").removesuffix("_low").removesuffix("_high")


def _in_words(column: str) -> str:
    return column.replace("_low", ", 95% from").replace("_high", ", 95% to").replace("_", " ")


def shares(*columns: str) -> dict[str, Any]:
    """Streamlit's column settings for numbers that are shown in percent, though no dictionary calls them shares."""
    return {column: share_column(_in_words(column)) for column in columns}


def share_column(label: str, explanation: str | None = None, width: int | None = None) -> Any:
    """Streamlit's settings of one column of shares, which `table` shows in percent."""
    return st.column_config.NumberColumn(label, help=explanation, format=PERCENT, width=width)


def _as_read(frame: pd.DataFrame, settings: dict[str, Any]) -> pd.DataFrame:
    """The table as it is shown: punctuation by name, shares in percent, and no number that would be printed as -0.

    Streamlit's own format of percents shows 0.24 as 24% below 24.15%, and cuts off decimals that it is given.
    """
    return frame.assign(
        **{
            name: column.map(readable, na_action="ignore")
            if name in TOKENS
            else _without_minus_zero(column, (settings.get(name) or {}).get("type_config", {}).get("format") or "")
            for name, column in frame.items()
            if name in TOKENS or is_float_dtype(column)
        }
    )


def _without_constants(
    shown: pd.DataFrame, settings: dict[str, Any], order: Sequence[str] | None
) -> tuple[pd.DataFrame, str]:
    """The table without chance levels that are the same in every row, and a sentence with these."""
    numbers = shown[[name for name in order or shown if name.startswith("chance_") and is_float_dtype(shown[name])]]
    same = numbers.iloc[0][(numbers == numbers.iloc[0]).all()] if len(shown) > 2 else pd.Series(dtype=float)
    said = list[str]()
    for name, value in same.items():
        look = settings.get(str(name)) or {}
        form = look.get("type_config", {}).get("format") or "%.3g"
        said.append(f"{look.get('label') or str(name).replace('_', ' ')} {form % value}")
    return shown.drop(columns=same.index), plain(f"The same in every row: {', '.join(said)}.") if said else ""


def _without_minus_zero(numbers: pd.Series, form: str) -> pd.Series:
    """The numbers to show, in percent for the format `PERCENT`; 0 for those that would be printed as -0."""
    shown = 100 * numbers if form == PERCENT else numbers
    digits = re.search(r"\.(\d+)f", form)
    return shown.mask((shown <= 0) & (shown.round(int(digits[1]) if digits else 12) == 0), 0.0)


def aligned(values: pd.Series, digits: int = 3) -> str:
    """A number format with as many decimals as show this number of digits of the largest value."""
    largest = values.abs().max()
    return f"%.{max(0, digits - 1 - floor(log10(largest))) if largest > 0 else 0}f"


def help(page: str) -> None:
    """Draw pages/help/<page>.md below a heading. Its last paragraph names the choices that are ours."""
    with st.expander("How to read this", icon=":material/help:"):
        st.markdown((HELP / f"{page}.md").read_text(encoding="utf-8"))


def facts() -> Any:
    """A row for numbers and small widgets, which wraps where the page is narrow."""
    return st.container(horizontal=True, gap="medium")


def beside_chance(label: str, value: str, chance: str | None, explanation: str | None = None) -> None:
    """Draw a large number, and its chance level in words below it, small and grey."""
    st.metric(label, value, chance, help=explanation, delta_color="off", delta_arrow="off", width="content")


def zip_button(title: str, files: Callable[[], Files], key: str) -> None:
    """Draw a button that saves every table as CSV and Parquet, with the meaning of the columns and the provenance."""
    save_button(
        "All tables (ZIP)", f"{slug(title)}.zip", lambda: to_zip(archived(files(), title)), "application/zip",
        f"zip-{key}", icon=":material/folder_zip:",
        help="Every table as CSV and Parquet, what each column means, and where they come from.",
    )  # fmt: skip


def archived(files: Files, title: str) -> dict[str, bytes]:
    """The files of an archive: tables, the meaning of their columns, and the provenance with title and digests."""
    of_tables = {**files, "columns.md": in_markdown().encode()}
    about = {"title": title, **json.loads(of_tables.pop(PROVENANCE_FILE))}
    about["files"] = {name: sha256(data).hexdigest() for name, data in of_tables.items()}
    return {PROVENANCE_FILE: json.dumps(about, indent=2).encode(), **of_tables}


def report_button(name: str, make: "Callable[[], Report]", key: str) -> None:
    """Draw a button that saves one HTML file with figures and tables, which quotes no text."""

    def made() -> bytes:
        from attn_core.report.document import html  # which draws: only where a report is asked for

        return html(make())

    save_button(
        "Report (HTML)", f"{slug(name)}.html", made, "text/html", f"report-{key}",
        icon=":material/description:",
        help="One file with figures, tables and provenance. It does not quote the texts.",
    )  # fmt: skip


def csv_button(
    table: pd.DataFrame | Callable[[], pd.DataFrame], name: str, provenance: Provenance, **look: Any
) -> None:
    """Draw a button that saves a table as CSV, with its provenance in the last columns. A named index is a column."""

    def make() -> bytes:
        made = table if isinstance(table, pd.DataFrame) else table()
        return to_csv(made.reset_index() if made.index.name else made, provenance)

    save_button("CSV", f"{name}.csv", make, "text/csv", f"csv-{name}", icon=":material/download:", **look)


def save_button(label: str, file: str, make: Callable[[], str | bytes], mime: str, key: str, **look: Any) -> None:
    """Draw a button that saves a file, which is made once the button is clicked."""
    st.download_button(label, make, file, mime, key=key, on_click="ignore", **look)


def slug(title: str) -> str:
    """The title as a file name."""
    return re.sub(r"\W+", "-", title.lower()).strip("-")[:60] or "text"
