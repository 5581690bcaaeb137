"""Entropy and cross-entropy of the language-model head by layer, over all texts of a study."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.errors import TextError
from attn_core.models.language_head import CHANCE, entropies, head_if_any
from attn_core.models.records import LoadedModel
from attn_core.numerics.leave_one_out import interval_of_mean
from attn_core.runs.shards import numbers, tables_named
from attn_core.texts.passages import Passage

KINDS = ("entropy", "cross_entropy")


def entropy_rows(model: LoadedModel, passages: Sequence[Passage]) -> Iterator[dict[str, object]]:
    """A row a window: window, places, entropy and cross_entropy (layer,), chance_entropy.

    No row for a window without a place to predict, and none for a model without a language-model head.
    """
    head = head_if_any(model)
    if head is None:
        return
    for passage in passages:
        try:
            by_layer = entropies(model, head, passage)
        except TextError:
            continue
        of_layers = {kind: by_layer[kind].to_numpy() for kind in KINDS}
        yield {"window": passage.index, **{name: by_layer[name].iloc[0] for name in ("places", CHANCE)}, **of_layers}


def entropy_table(folder: Path) -> pd.DataFrame | None:
    """A row a layer (0: the embeddings): layer, places, texts, entropy, cross_entropy and bounds, chance_entropy.

    In bits, means over texts or groups of them. None for a subject without entropies.
    """
    windows = list(tables_named(folder, "entropies"))
    if not windows:
        return None
    every = pa.concat_tables(windows)
    groups, of = np.unique(numbers(every["group"]), return_inverse=True)
    places, chance = (numbers(every[name]).astype(np.float64) for name in ("places", CHANCE))
    made = dict[str, object]()
    for kind in KINDS:
        values = numbers(every[kind])
        sums = np.zeros((len(groups), values.shape[1]))
        np.add.at(sums, of, values * places[:, None])
        by_group = sums / np.bincount(of, places)[:, None]
        low, high = interval_of_mean(by_group)
        made |= {kind: by_group.mean(axis=0), f"{kind}_low": low, f"{kind}_high": high}
    table = pd.DataFrame(
        {"layer": np.arange(values.shape[1]), "places": int(places.sum()), "texts": len(groups), **made}
    )
    return table.assign(**{CHANCE: chance.max()})
