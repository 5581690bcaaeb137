"""What a chart shows in one sentence of its numbers, for readers who cannot see it: range, extremes, chance level.

Every chart carries its sentence as its `description`; `show.chart` hands it to screen readers and saved figures keep it.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.measures.statistics import Statistic

InWords = Callable[[float], str]


def between_heads(heads: pd.DataFrame, column: str, in_words: InWords) -> str:
    """The smallest and the largest value of a column, with their heads. heads: layer, head and the column."""
    low, high = (heads.loc[index] for index in (heads[column].idxmin(), heads[column].idxmax()))
    return " to ".join(f"{in_words(row[column])} ({Head.of_row(row['layer'], row['head'])})" for row in (low, high))


def between(values: pd.Series, names: pd.Series, in_words: InWords) -> str:
    """The smallest and the largest value, each with its name."""
    return " to ".join(f"{in_words(values[at])} ({names[at]})" for at in (values.idxmin(), values.idxmax()))


def by_layer(layers: pd.DataFrame, column: str, in_words: InWords) -> str:
    """A column in the first and in the last layer, and where it is smallest and largest."""
    values, names = layers[column], "layer " + layers["layer"].astype(str)
    ends = f"{in_words(values.iloc[0])} in {names.iloc[0]}, {in_words(values.iloc[-1])} in {names.iloc[-1]}"
    return f"{ends}; from {between(values, names, in_words)}"


def chance_of(frame: pd.DataFrame, statistic: Statistic) -> str:
    """The chance level of a statistic, or its range where it is not the same in every row."""
    low, high = frame[statistic.chance].min(), frame[statistic.chance].max()
    if statistic.text(low) == statistic.text(high):
        return f"chance {statistic.text(low)}"
    return f"chance {statistic.text(low)} to {statistic.text(high)}"


def grid(data: pd.DataFrame) -> str:
    """How many layers and heads a map has."""
    return f"{data['layer'].nunique()} layers by {data['head'].nunique()} heads"


def share(value: float) -> str:
    return f"{value:.0%}"


def times(value: float) -> str:
    return f"{value:.1f} times"


def number(value: float) -> str:
    return f"{value:.3g}"


def counted(names: pd.Series | np.ndarray) -> str:
    """How often each name occurs, the most frequent first."""
    return ", ".join(f"{count} {name}" for name, count in pd.Series(names).value_counts().items())
