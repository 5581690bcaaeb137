"""What was measured of removals as tidy tables: `importance`, `curve`, `accuracy`, `effects`.

Effects come one a text: intervals are Student's 95 % over texts, NaN for fewer than four of them, and each is one head's own:
of 72 that hold alone, three or four miss. Layers and heads count from 1.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from attn_core.interventions.labels import labelled_rightly, share_of
from attn_core.measures.frames import head_index
from attn_core.numerics.leave_one_out import interval_of_mean, intervals_of_means

RANDOM = "random"


def importance_table(
    effects: np.ndarray, estimated: np.ndarray, redundancy: np.ndarray, chance_redundancy: float
) -> pd.DataFrame:
    """One row a head: layer, head, effect, low, high, estimated, redundancy, chance_redundancy.

    effects, estimated: (text, layer, head), the estimate's mean is shown. redundancy: (H,).
    """
    texts, layers, per_layer = effects.shape
    flat = effects.reshape(texts, -1)
    low, high = intervals_of_means(flat)
    return head_index(layers, per_layer).assign(
        effect=flat.mean(axis=0), low=low, high=high, estimated=estimated.mean(axis=0).ravel(),
        redundancy=redundancy, chance_redundancy=chance_redundancy,
    )  # fmt: skip


def curve_table(curves: Mapping[str, np.ndarray], counts: Sequence[int], random: np.ndarray) -> pd.DataFrame:
    """Columns order, removed, effect, low, high: one row an order and number of removed heads.

    curves: order -> (text, count). random: (draw, text, count); low and high are the lowest and the highest of the draws' means.
    """
    draws = random.mean(axis=1)
    rows = {name: (effects.mean(axis=0), *intervals_of_means(effects)) for name, effects in curves.items()}
    rows[RANDOM] = draws.mean(axis=0), draws.min(axis=0), draws.max(axis=0)
    parts = [
        pd.DataFrame({"order": name, "removed": counts[: len(effect)], "effect": effect, "low": low, "high": high})
        for name, (effect, low, high) in rows.items()
    ]
    return pd.concat(parts, ignore_index=True)


def accuracy_table(embeddings: np.ndarray, counts: Sequence[int], labels: np.ndarray, seed: int = 0) -> pd.DataFrame:
    """One row a number of removed heads, with the columns removed, accuracy, change, their bounds, chance_accuracy.

    embeddings: (count, text, hidden), the first of the whole model. labels: (text,), from 0; chance is the most frequent one.
    change: of the accuracy against the whole model's, its interval paired by text.
    """
    whole, *_ = rights = [labelled_rightly(of_count, labels, seed) for of_count in embeddings]
    rows = [
        (count, *share_of(right), (right - whole).mean(), *of_changes(right - whole))
        for count, right in zip(counts, rights, strict=True)
    ]
    columns = ["removed", "accuracy", "low", "high", "change", "change_low", "change_high"]
    return pd.DataFrame(rows, columns=columns).assign(chance_accuracy=np.bincount(labels).max() / len(labels))


def effect_row(quantity: str, by_text: np.ndarray) -> dict[str, object]:
    """quantity, effect, low, high, chance_effect, chance_low, chance_high, random_sets of some heads and of random ones.

    by_text: (text, 1 + random set); the bounds of chance are the lowest and the highest of the sets' means, NaN without any.
    """
    own, *sets = by_text.mean(axis=0)
    low, high = of_changes(by_text[:, 0])
    chance = (np.mean(sets), min(sets), max(sets)) if sets else (np.nan, np.nan, np.nan)
    names = ("quantity", "effect", "low", "high", "chance_effect", "chance_low", "chance_high", "random_sets")
    return dict(zip(names, (quantity, own, low, high, *chance, len(sets)), strict=True))


def of_changes(by_text: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of a mean change, (text,). NaN where no text changes: few texts do not tell how many others would."""
    return interval_of_mean(by_text) if by_text.any() else (np.nan, np.nan)
