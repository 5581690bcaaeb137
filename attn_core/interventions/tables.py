"""What was measured of removals as tidy tables: `importance`, `curve`, `heads_that_can_go`, `accuracy`, `effects`,
`entropies`.

Effects come one a text: intervals are Student's 95 % over texts, NaN for fewer than four of them, and each is one head's own:
of 72 that hold alone, three or four miss. Layers and heads count from 1.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from attn_core.interventions.labels import Labelled, labelled_rightly, share_of
from attn_core.interventions.orders import heads_that_can_go
from attn_core.measures.frames import head_index
from attn_core.numerics.leave_one_out import interval_of_mean

BARS = (0.01, 0.05)  # effects on the sentence embedding up to which heads may go
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
    low, high = bounds(flat)
    made = head_index(layers, per_layer).assign(effect=flat.mean(axis=0), low=low, high=high)
    if estimated is not None:
        made["estimated"] = estimated.mean(axis=0).ravel()
    if redundancy is not None:
        made["redundancy"], made["chance_redundancy"] = redundancy
    return made if heads is None else made.merge(heads, on=["layer", "head"], validate="one_to_one")


def curve_table(curves: Mapping[str, np.ndarray], counts: Sequence[int], random: np.ndarray) -> pd.DataFrame:
    """Columns order, removed, effect, low, high: one row an order and number of removed heads.

    curves: order -> (text, count). random: (draw, text, count); low and high
    are the lowest and the highest of the draws' means.
    """
    draws = random.mean(axis=1)
    told = {name: (effects.mean(axis=0), *bounds(effects)) for name, effects in curves.items()}
    told[RANDOM] = draws.mean(axis=0), draws.min(axis=0), draws.max(axis=0)
    parts = [
        pd.DataFrame({"order": name, "removed": counts[: len(effect)], "effect": effect, "low": low, "high": high})
        for name, (effect, low, high) in told.items()
    ]
    return pd.concat(parts, ignore_index=True)


def heads_that_can_go_table(curve: pd.DataFrame) -> pd.DataFrame:
    """Columns order, bar, heads, surely, at_most: how many can go at a mean effect up to each bar, and at its bounds.

    Of the numbers that were measured. surely: at the upper bound, 0 where there is no interval; at_most: at the lower one.
    curve: of `curve_table`.
    """
    rows = []
    for order, of_order in curve.groupby("order", sort=False):
        counts = of_order["removed"].tolist()
        levels = of_order["effect"], of_order["high"].fillna(np.inf), of_order["low"].fillna(-np.inf)
        rows += [(order, bar, *(heads_that_can_go(counts, level.to_numpy(), bar) for level in levels)) for bar in BARS]
    return pd.DataFrame(rows, columns=["order", "bar", "heads", "surely", "at_most"])


def accuracy_table(embeddings: np.ndarray, counts: Sequence[int], labelled: Labelled, seed: int = 0) -> pd.DataFrame:
    """One row a number of removed heads, with the columns removed, effect, accuracy, change, their bounds, chance_accuracy.

    embeddings: (count, text, hidden), the first of the whole model. effect: the mean effect on the embeddings of these texts.
    change: of the accuracy against the whole model's, its interval paired by text.
    """
    rights = [labelled_rightly(of_count, labelled, seed) for of_count in embeddings]
    rows = []
    for count, of_count, right in zip(counts, embeddings, rights, strict=True):
        effect, change = apart(of_count, embeddings[0]).mean(), right - rights[0]
        rows.append((count, effect, *share_of(right), change.mean(), *of_changes(change)))
    columns = ["removed", "effect", "accuracy", "low", "high", "change", "change_low", "change_high"]
    return pd.DataFrame(rows, columns=columns).assign(chance_accuracy=labelled.chance)


def effect_row(quantity: str, by_text: np.ndarray, sets: int) -> dict[str, object]:
    """quantity, effect, low, high, chance_effect, chance_low, chance_high, random_sets of some heads and of random ones.

    by_text: (text, 1 + random set); the bounds of chance are the lowest and the highest of the sets' means.
    NaN where there is none to compare.
    """
    means = by_text.mean(axis=0)
    lowest, highest = (means[1:].min(), means[1:].max()) if sets else (np.nan, np.nan)
    low, high = of_changes(by_text[:, 0])
    return {
        "quantity": quantity, "effect": means[0], "low": low, "high": high,
        "chance_effect": means[1:].mean() if sets else np.nan,
        "chance_low": lowest, "chance_high": highest, "random_sets": sets,
    }  # fmt: skip


def entropies_table(
    entropy: np.ndarray, cross_entropy: np.ndarray, places: int, chance: float, names: Sequence[str]
) -> pd.DataFrame:
    """One row a layer (0: the embeddings), with all heads and without some: heads, layer, places, texts, entropy, cross_entropy,
    each with its bounds, in bits, mean over texts; chance_entropy.

    entropy, cross_entropy: (text, name, layer); a text without a place to ask at is none of them.
    """
    parts = []
    for at, name in enumerate(names):
        made = pd.DataFrame(
            {"heads": name, "layer": np.arange(entropy.shape[2]), "places": places, "texts": len(entropy)}
        )
        for column, values in (("entropy", entropy[:, at]), ("cross_entropy", cross_entropy[:, at])):
            made[column] = values.mean(axis=0)
            made[f"{column}_low"], made[f"{column}_high"] = bounds(values)
        parts.append(made)
    return pd.concat(parts, ignore_index=True).assign(chance_entropy=chance)


def apart(embeddings: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """1 - cosine along the last axis."""
    a, b = embeddings.astype(np.float64), whole.astype(np.float64)
    return np.maximum(0, 1 - (a * b).sum(axis=-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1))


def of_changes(by_text: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of a mean change, (text,). NaN where no text changes: few texts do not tell how many others would."""
    return interval_of_mean(by_text) if by_text.any() else (np.nan, np.nan)


def bounds(by_text: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bound of the mean over texts of each column, (columns,) twice. by_text: (text, column)."""
    low, high = np.array([interval_of_mean(column) for column in by_text.T]).reshape(-1, 2).T
    return low, high
