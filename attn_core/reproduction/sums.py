"""What is kept of each text: sums over its windows, a row a choice; and back into a tally.

`sums`, a row a text and choice: text, group (of texts of one work), choice (its place in `choices.CHOICES`),
few (whether no window has `MIN_PAIRS` strong pairs a head), windows that are counted (those with as many, or else all),
short_windows, the others, strong (strong pairs a head), and of every count its numerator under its name, `chance_<name>` and
`weight_<name>`, as in a study's windows.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from attn_core.measures.tally import MIN_PAIRS, Tally
from attn_core.reproduction.choices import CHOICES, WindowChoice
from attn_core.reproduction.windows import Counts
from attn_core.study.opened import numbers

PLACE = {settings: place for place, settings in enumerate(CHOICES)}


def rows_of_text(number: int, group: int, windows: Sequence[Mapping[WindowChoice, Counts]]) -> Iterator[dict[str, Any]]:
    """The rows of one text, choice by choice; windows that leave a choice no pair add nothing to it."""
    for settings in CHOICES:
        every = [window[settings] for window in windows if settings in window]
        long = [counts for counts in every if counts["mean_distance"].weight >= MIN_PAIRS]
        if not (here := long or every):
            continue
        row: dict[str, Any] = {"text": number, "group": group, "choice": PLACE[settings], "few": not long}
        row |= {"windows": len(here), "short_windows": len(every) - len(here)}
        for name in here[0]:
            row[name] = np.sum([np.ravel(counts[name].numerator) for counts in here], axis=0)
            row[f"chance_{name}"] = np.sum([np.ravel(counts[name].chance) for counts in here], axis=0)
            row[f"weight_{name}"] = float(sum(counts[name].weight for counts in here))
        yield row | {"strong": row["weight_mean_distance"]}


def add(tally: Tally, sums: pa.Table, times: np.ndarray) -> None:
    """Add texts to a tally as often as `times`, (R, rows), says."""
    for name in (column.removeprefix("weight_") for column in sums.column_names if column.startswith("weight_")):
        numerators, chances, weights = (numbers(sums[f"{kind}{name}"]) for kind in ("", "chance_", "weight_"))
        tally.add(name, numerators, chances, weights, times)
