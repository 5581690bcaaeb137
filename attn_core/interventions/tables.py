"""What was measured of removals as tidy tables: `importance`, `curve`, `heads_that_can_go`.

Effects come one a text: intervals are Student's 95 % over texts, NaN for fewer than four of them, and each is one head's own:
of 72 that hold alone, three or four miss. Layers and heads count from 1.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from attn_core.interventions.curves import heads_that_can_go
from attn_core.measures.frames import head_index
from attn_core.numerics.poisson_bootstrap import interval_of_mean

BARS = (0.01, 0.05)  # effects on the sentence embedding up to which heads may go
BAND = (2.5, 97.5)  # percentiles of the random orders
RANDOM = "random"


def importance_table(
    effects: np.ndarray,
    estimated: np.ndarray | None = None,
    redundancy: tuple[np.ndarray, float] | None = None,
    heads: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """One row a head: layer, head, effect, low, high, estimated, redundancy, chance_redundancy, then what `heads` has.

    effects, estimated: (text, layer, head), the estimate's mean is shown. redundancy: of each head (H,), and by chance. heads:
    the heads table of the same model and texts, with role and statistics. What is not given has no column.
    """
    texts, layers, per_layer = effects.shape
    flat = effects.reshape(texts, -1)
    low, high = np.array([interval_of_mean(of_head) for of_head in flat.T]).T
    made = head_index(layers, per_layer).assign(effect=flat.mean(axis=0), low=low, high=high)
    if estimated is not None:
        made["estimated"] = estimated.mean(axis=0).ravel()
    if redundancy is not None:
        made["redundancy"], made["chance_redundancy"] = redundancy
    return made if heads is None else made.merge(heads, on=["layer", "head"], validate="one_to_one")


def curve_table(curves: Mapping[str, np.ndarray], counts: Sequence[int], random: np.ndarray) -> pd.DataFrame:
    """Columns order, removed, effect, low, high: one row an order and number of removed heads.

    curves: order -> (text, count). random: (draw, text, count); low and high are the band of the draws' means.
    """
    parts = []
    for name, effects in curves.items():
        low, high = np.array([interval_of_mean(of_count) for of_count in effects.T]).T
        parts.append(_of_order(name, counts, effects.mean(axis=0), low, high))
    draws = random.mean(axis=1)
    parts.append(_of_order(RANDOM, counts, draws.mean(axis=0), *np.percentile(draws, BAND, axis=0)))
    return pd.concat(parts, ignore_index=True)


def heads_that_can_go_table(curve: pd.DataFrame, bars: Sequence[float] = BARS) -> pd.DataFrame:
    """Columns order, bar, heads, surely: how many heads can go at a mean effect up to each bar, and at its upper bound.

    surely is 0 where there is no interval. curve: of `curve_table`.
    """
    rows = []
    for order, of_order in curve.groupby("order", sort=False):
        counts = of_order["removed"].tolist()
        high = of_order["high"].fillna(np.inf).to_numpy()
        rows += [
            (
                order,
                bar,
                heads_that_can_go(counts, of_order["effect"].to_numpy(), bar),
                heads_that_can_go(counts, high, bar),
            )
            for bar in bars
        ]
    return pd.DataFrame(rows, columns=["order", "bar", "heads", "surely"])


def _of_order(name: str, counts: Sequence[int], *columns: np.ndarray) -> pd.DataFrame:
    effect, low, high = columns
    return pd.DataFrame({"order": name, "removed": list(counts), "effect": effect, "low": low, "high": high})
