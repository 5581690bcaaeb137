"""Parts of the alternative text of a chart: ranges, extremes, chance levels, counts."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.measures.statistics import Statistic

TextOf = Callable[[float], str]


def between_heads(heads: pd.DataFrame, column: str, text_of: TextOf) -> str:
    """The smallest and largest value of a column, each with its head. heads: layer, head and the column."""
    if heads[column].isna().all():
        return "not known"
    names = pd.Series(map(Head.of_row, heads["layer"], heads["head"]), heads.index)
    return between(heads[column], names, text_of)


def between(values: pd.Series, names: pd.Series, text_of: TextOf) -> str:
    """The smallest and largest value, each with its name."""
    return " to ".join(f"{text_of(values[at])} ({names[at]})" for at in (values.idxmin(), values.idxmax()))


def chance_of(frame: pd.DataFrame, statistic: Statistic) -> str:
    """The chance level of a statistic, or its range."""
    ends = [statistic.text(frame[statistic.chance].min()), statistic.text(frame[statistic.chance].max())]
    return f"chance {' to '.join(dict.fromkeys(ends))}"


def share(value: float) -> str:
    return f"{value:.0%}"


def number(value: float) -> str:
    return f"{value:.3g}"


def counted(names: pd.Series | np.ndarray) -> str:
    """The number of occurrences of each name, most frequent first."""
    return ", ".join(f"{count} {name}" for name, count in pd.Series(names).value_counts().items())
