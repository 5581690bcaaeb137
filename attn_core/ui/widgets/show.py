"""How charts, tables and explanations appear, the same on every page."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from math import floor, log10
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from altair import Undefined
from pandas.api.types import is_float_dtype

from attn_core.charts.style import SELECTION, Figure
from attn_core.head import Head
from attn_core.io.tables import Provenance
from attn_core.measures.statistics import BY_NAME
from attn_core.texts.token_names import readable
from attn_core.ui.widgets.downloads import csv_button, figure_buttons

PROVENANCE = "provenance_of_the_page"  # in the session: where the numbers of the page come from
HELP = Path(__file__).parents[3] / "pages" / "help"
PERCENT = "%.2f%%"
TOKENS = frozenset({"token", "first_token", "second_token", "anchor", "anchor_word"})
BELOW = 4  # pixels of a chart below what it draws, where Streamlit would leave `STREAMLIT_LEAVES`
STREAMLIT_LEAVES = 20
# Without a sentence for every mark, which takes half of the drawing; the ends of an axis have their labels in place.
LOOK = {"mark": {"aria": False}, "axis": {"labelFlush": False}}


def chart(figure: Figure, name: str, title: str, on_select: Callable[[], None] | None = None) -> Any:
    """A chart with a small menu that saves it as SVG or PNG. `name` is the file's name and the widget's key.

    figure: with a description, for readers who cannot see it. title: what it shows, for who sees the saved file alone.
    """
    shown = figure.copy(deep=False)
    shown.height, shown.padding = figure.height - (STREAMLIT_LEAVES - BELOW), {"bottom": BELOW}
    shown.config, shown.description = LOOK, Undefined  # `alt` has it already
    event = st.altair_chart(shown, key=f"chart-{name}", on_select=on_select or "ignore", alt=figure.description)
    with st.popover("Save figure", icon=":material/image:", type="tertiary", width="content"):
        figure_buttons(figure, name, title)
    return event


def table(
    frame: pd.DataFrame,
    name: str,
    columns: dict | None = None,
    *,
    fold: str = "",
    choices: Mapping[str, object] | None = None,
    provenance: Provenance | None = None,
    **options: Any,
) -> Any:
    """A table with a CSV button; columns of known statistics get their label, unit and question.

    columns: settings of the page's own, in place of these. fold: the heading below which it is drawn once that is opened.
    choices: those of the page that decide its numbers, beside the page's own provenance. provenance: in its place.
    """
    if fold:
        return folded(fold, name, partial(_table, frame, name, columns, _of_page(choices, provenance), options))
    return _table(frame, name, columns, _of_page(choices, provenance), options)


def _table(frame: pd.DataFrame, name: str, columns: dict | None, provenance: Provenance, options: dict) -> Any:
    settings = column_labels(frame) | (columns or {})
    shown = _as_read(frame, settings)
    event = st.dataframe(shown, hide_index=True, column_config=settings, key=f"table-{name}", **options)
    csv_button(frame, name, provenance)
    return event


def _of_page(choices: Mapping[str, object] | None, provenance: Provenance | None) -> Provenance:
    of = st.session_state[PROVENANCE] if provenance is None else provenance
    return {**of, **(choices or {})}


def folded(label: str, name: str, draw: Callable[[], object]) -> None:
    """What stands below a heading of its own, drawn where that is opened: a table would cost as much as several charts."""
    place = st.expander(label, key=f"open-{name}", bind="query-params")
    if place.open:
        with place:
            draw()


def column_labels(frame: pd.DataFrame) -> dict[str, Any]:
    """Streamlit's column settings: statistics, their bounds and chance levels by label and unit, other columns in words."""
    labels: dict[str, Any] = {}
    for column in frame.columns:
        statistic = BY_NAME.get(column.removeprefix("chance_").removesuffix("_low").removesuffix("_high"))
        if statistic is None:
            if column == "chance_token_coverage":
                labels[column] = share_column("Anchor coverage (chance of the token)", "What that token has by chance.")
            elif "_" in column and column.islower() and column.isidentifier():  # not the name of a model
                labels[column] = st.column_config.Column(column.replace("_", " "))
            continue
        kinds = {statistic.chance: "chance", **dict(zip(statistic.bounds, ("95% from", "95% to"), strict=True))}
        label = f"{statistic.label} ({kinds[column]})" if column in kinds else statistic.label
        labels[column] = (
            share_column(label, statistic.question)
            if statistic.unit == "share"
            else st.column_config.NumberColumn(label, help=statistic.question, format=f"%{statistic.exact_format}")
        )
    return labels


def shares(*columns: str) -> dict[str, Any]:
    """Streamlit's column settings for shares that no statistic of the heads table names."""
    return {column: share_column(column.replace("_", " ")) for column in columns}


def share_column(label: str, explanation: str | None = None) -> Any:
    """Streamlit's settings of one column of shares, which `table` shows in percent."""
    return st.column_config.NumberColumn(label, help=explanation, format=PERCENT)


def _as_read(frame: pd.DataFrame, settings: dict[str, Any]) -> pd.DataFrame:
    """A table as the screen has it: punctuation by name, shares in percent, no number that its format would make -0.

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


def _without_minus_zero(numbers: pd.Series, form: str) -> pd.Series:
    """Numbers, in percent by the format `PERCENT`; those that its format would round to -0 are 0."""
    shown = 100 * numbers if form == PERCENT else numbers
    digits = re.search(r"\.(\d+)f", form)
    return shown.mask((shown <= 0) & (shown.round(int(digits[1]) if digits else 12) == 0), 0.0)


def aligned(values: pd.Series, digits: int = 3) -> str:
    """A table's format for numbers of any size: all with the decimals that show so many digits of the largest."""
    largest = values.abs().max()
    return f"%.{max(0, digits - 1 - floor(log10(largest))) if largest > 0 else 0}f"


def help(page: str) -> None:
    """An explanation one click away: pages/help/<page>.md. Its last paragraph names the choices that are ours."""
    with st.expander("How to read this", icon=":material/help:"):
        st.markdown((HELP / f"{page}.md").read_text(encoding="utf-8"))


def facts() -> Any:
    """A row for numbers (and small controls) that breaks where the page is narrow."""
    return st.container(horizontal=True, gap="medium")


def beside_chance(label: str, value: str, chance: str | None, explanation: str | None = None) -> None:
    """A large number, and below it, small and grey, its chance level in words."""
    st.metric(label, value, chance, help=explanation, delta_color="off", delta_arrow="off", width="content")


def head_chart(figure: Figure, name: str, title: str, on_select: Callable[[], None] | None = None) -> Any:
    """A chart of all heads in which a click chooses head A; the sidebar does so by keys.

    title: as of `show.chart`. on_select: in place of choosing head A.
    """
    return chart(figure, name, title, on_select=on_select or partial(_choose_clicked, name))


def _choose_clicked(chart: str) -> None:
    """Make the head that was clicked in the chart of that name head A."""
    if cells := st.session_state[f"chart-{chart}"]["selection"][SELECTION]:
        st.session_state["a"] = str(Head.of_row(cells[0]["layer"], cells[0]["head"]))
