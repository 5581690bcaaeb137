"""Tidy tables of the effects of removals: `importance`, `curve`, `accuracy`, `effects`.

There is one effect per text. Intervals are Student's 95 % intervals over texts, NaN for fewer than four texts, without
correction for the number of heads. Layers and heads count from 1.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from attn_core.errors import InputError
from attn_core.interventions.labels import labelled_rightly, share_of
from attn_core.measures.frames import head_frame
from attn_core.numerics.leave_one_out import interval_of_mean, means_of_groups
from attn_core.runs.shards import numbers, tables_named

RANDOM = "random"


def by_text(folder: Path, column: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the n texts, (n,), and the token-weighted mean of a column over their windows, (n, values).

    folder: of the shards of a phase. Raises InputError if no window was read.
    """
    windows = list(tables_named(folder, "windows", ["text", column, "tokens"]))
    if not windows:
        raise InputError("No text could be read: every one is empty, or has no word that the model reads.")
    text, values, tokens = (
        np.concatenate([numbers(part[name]) for part in windows]) for name in ("text", column, "tokens")
    )
    return means_of_groups(text, values, tokens)


def texts_of(folder: Path) -> pd.DataFrame:
    """One row per text or part of a text: text, part, group, name, problem, windows, tokens, encoding."""
    parts = [table.to_pandas() for table in tables_named(folder, "texts")]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def importance_table(effects: np.ndarray, estimated: np.ndarray) -> pd.DataFrame:
    """One row per head: layer, head, effect, low, high, estimated. effects, estimated: (text, layer, head)."""
    number, layers, per_layer = effects.shape
    flat = effects.reshape(number, -1)
    low, high = interval_of_mean(flat)
    columns = {"effect": flat.mean(axis=0), "low": low, "high": high, "estimated": estimated.mean(axis=0)}
    return head_frame(columns, layers, per_layer)


def curve_table(order: str, effects: np.ndarray, counts: Sequence[int], random: np.ndarray) -> pd.DataFrame:
    """One row per order (the given one, random ones) and number of removed heads: order, removed, effect, low, high.

    effects: (text, count). random: (draw, text, count); low and high are the extremes of the means of the draws.
    """
    draws = random.mean(axis=1)
    rows = {
        order: (effects.mean(axis=0), *interval_of_mean(effects)),
        RANDOM: (draws.mean(axis=0), draws.min(axis=0), draws.max(axis=0)),
    }
    parts = [
        pd.DataFrame({"order": name, "removed": counts, "effect": effect, "low": low, "high": high})
        for name, (effect, low, high) in rows.items()
    ]
    return pd.concat(parts, ignore_index=True)


def accuracy_table(embeddings: np.ndarray, counts: Sequence[int], labels: np.ndarray, seed: int = 0) -> pd.DataFrame:
    """One row per number of removed heads: removed, accuracy and change with their bounds, chance_accuracy.

    embeddings: (count, text, hidden), first those of the whole model. labels: (text,), from 0. The change is relative
    to the whole model, with an interval paired by text. Chance is the share of the most frequent label.
    """
    whole, *_ = rights = [labelled_rightly(of_count, labels, seed) for of_count in embeddings]
    rows = [
        (count, *share_of(right), (right - whole).mean(), *of_changes(right - whole))
        for count, right in zip(counts, rights, strict=True)
    ]
    columns = ["removed", "accuracy", "low", "high", "change", "change_low", "change_high"]
    return pd.DataFrame(rows, columns=columns).assign(chance_accuracy=np.bincount(labels).max() / len(labels))


def effect_table(effects: np.ndarray) -> pd.DataFrame:
    """One row: effect, low, high of the heads; chance_effect, chance_low, chance_high, random_sets of random sets.

    effects: (text, 1 + random set). The bounds of chance are the extremes of the means of the sets, NaN without sets.
    """
    own, *sets = effects.mean(axis=0)
    low, high = of_changes(effects[:, 0])
    chance = (np.mean(sets), min(sets), max(sets)) if sets else (np.nan, np.nan, np.nan)
    columns = ["effect", "low", "high", "chance_effect", "chance_low", "chance_high", "random_sets"]
    return pd.DataFrame([(own, low, high, *chance, len(sets))], columns=columns)


def of_changes(by_text: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of a mean change, (text,); NaN if no text changes: a width of 0 would mislead."""
    low, high = interval_of_mean(by_text) if by_text.any() else (np.nan, np.nan)
    return float(low), float(high)
