"""How often copies of a model, each taken for the model itself, are *supported* and *more than untrained*."""

from collections.abc import Mapping, Sequence

import pandas as pd

from attn_core.claims.table import Effects, claim_rows
from attn_core.models.controls import SEEDS, Control


def copies_as_models(by_kind: Mapping[Control, Sequence[Effects]]) -> pd.DataFrame:
    """The rows of the claims of every copy beside the next `SEEDS` of its own kind, and of every other one.

    by_kind: untrained, shuffled_weights; each copy in the same texts, more than `SEEDS` of a kind.
    """
    rows = []
    for kind, copies in by_kind.items():
        for number, own in enumerate(copies):
            others = {
                name: [(own, some[(number + step) % len(some)]) for step in range(1, SEEDS + 1)]
                for name, some in by_kind.items()
            }
            rows.append(claim_rows(own, others).assign(kind=kind, seed=number))
    return pd.concat(rows, ignore_index=True)


def taken_for_learned(rows: pd.DataFrame) -> pd.Series:
    """By effect, the share of the rows that are supported and more than untrained."""
    return ((rows["verdict"] == "supported") & (rows["more_than_untrained"] == "yes")).groupby(rows["effect"]).mean()
