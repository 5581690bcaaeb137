"""The numbers of a chart in words, for its alternative text: what its tooltips show, from the least to the most."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attn_core.head import Head

FEW = 9  # values or names, the most that are all said
APART = ("x", "y", "xOffset", "yOffset", "color", "shape", "detail")  # channels that tell marks apart
BOUNDS = ("low", "high", "start", "end")  # ends of the names of columns that are not said


def in_words(charts: Iterable[Any], data: Any) -> str:
    """What the tooltips of a chart show: formatted numbers with their marks, and how often each name is there.

    data: of the layers without data.
    """
    return "; ".join(dict.fromkeys(words for chart in charts for words in _of_layer(chart, data)))


def _of_layer(chart: Any, data: Any) -> Iterator[str]:
    rows, encoding = data if chart.data is alt.Undefined else chart.data, chart.encoding
    if not isinstance(rows, pd.DataFrame) or encoding is alt.Undefined or encoding.tooltip is alt.Undefined:
        return
    tips = encoding.tooltip if isinstance(encoding.tooltip, list) else [encoding.tooltip]
    shown = {column: one for one in tips if (column := _parts(one)[0]) in rows and not column.endswith(BOUNDS)}
    marks = _marks(encoding, shown)
    rows = rows.dropna(subset=marks)
    for column, one in shown.items():
        title = column.replace("_", " ") if one["title"] is alt.Undefined else one["title"]
        known = rows[column].dropna()
        if column in marks or known.empty:
            continue
        if _parts(one)[1] == "Q":
            if one["format"] is not alt.Undefined:
                yield f"{title} {_values(known, rows, marks, one['format'])}"
        elif 0 < len(names := Counter(known.tolist()).keys() - {""}) <= FEW:
            yield f"{title}: {counted(name for name in known if name in names)}"


def _parts(channel: Any) -> tuple[str, str]:
    """The column that a channel shows, and its type; empty for none."""
    column, _, kind = str(getattr(channel, "shorthand", "")).partition(":")
    return column, kind


def _marks(encoding: Any, shown: Iterable[str]) -> list[str]:
    """The columns that name a mark: layer and head, categories, and the place of a point on a line."""
    columns = dict(_parts(encoding[channel]) for channel in APART)
    names = ["layer", "head"] if {"layer", "head"} <= {*shown} else []
    if not names and _parts(encoding["x"])[1] == _parts(encoding["y"])[1] == "Q":
        names = [_parts(encoding["x"])[0]]
    names += [name for name, kind in columns.items() if kind != "Q" and name not in names]
    return [name for name in names if name in {*shown}]


def _values(known: pd.Series, rows: pd.DataFrame, marks: Sequence[str], form: str) -> str:
    """Values with their marks: all of a few, else the smallest and the largest; one if they are the same."""
    values = known.to_numpy(float)
    if (values == values[0]).all():
        return printed(values[:1], form)[0]
    few = len(values) <= FEW
    ends = np.arange(len(values)) if few else np.array([values.argmin(), values.argmax()])
    words = [
        f"{text} ({_name({name: rows[name][at] for name in marks})})" if marks else text
        for text, at in zip(printed(values[ends], form), known.index[ends], strict=True)
    ]
    return ", ".join(words) if few else f"from {' to '.join(words)}"


def _name(mark: dict[str, Any]) -> str:
    head = [str(Head.of_row(mark.pop("layer"), mark.pop("head")))] if {"layer", "head"} <= {*mark} else []
    others = (one if isinstance(one, str) else f"{name.replace('_', ' ')} {one:g}" for name, one in mark.items())
    return ", ".join([*head, *others])


def printed(values: Iterable[float], form: str) -> list[str]:
    """Numbers in a d3 format; empty for NaN, and 0 instead of -0."""
    form = form.replace("~", "")
    signed = f"+z{form[1:]}" if form.startswith("+") else f"z{form}"
    return ["" if np.isnan(value) else f"{value:{signed}}" for value in values]


def counted(names: Iterable[object]) -> str:
    """The number of occurrences of each name, most frequent first."""
    return ", ".join(f"{count} {name}" for name, count in Counter(names).most_common())
