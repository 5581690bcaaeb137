"""Where a claim about a corpus can be read: pairs that a study kept, chosen for what each claim speaks of.

A pair shows what a claim means; it proves nothing. Which pairs stand for which claim is our choice.
"""

from collections.abc import Callable
from functools import partial

import pandas as pd

from attn_core.measures.roles import shows_most

NUMBER = 3  # pairs a claim


def examples_of_claim(claim: str, examples: pd.DataFrame, heads: pd.DataFrame, layers: pd.DataFrame) -> pd.DataFrame:
    """Some rows of a study's examples for a claim, "C1" to "C7", none of them twice. heads, layers: the study's tables."""
    chosen = _CHOOSE[claim](examples, heads, layers)
    return chosen[~chosen.index.duplicated()].head(NUMBER)


def _of_head(examples: pd.DataFrame, row: pd.Series) -> pd.DataFrame:
    return examples[(examples["layer"] == row["layer"]) & (examples["head"] == row["head"])]


def _rather(examples: pd.DataFrame, wanted: pd.Series) -> pd.DataFrame:
    """The rows that are wanted first, then the others, in their order."""
    return pd.concat([examples[wanted], examples[~wanted]])


def _own_matrices(examples: pd.DataFrame, _heads: pd.DataFrame, layers: pd.DataFrame) -> pd.DataFrame:
    """The strongest pair of several heads of the layer whose heads are least alike."""
    overlap = layers["head_overlap"]
    layer = layers["layer"].iloc[0 if overlap.isna().all() else int(overlap.argmin())]
    return examples[examples["layer"] == layer].drop_duplicates("head")


def _reach(examples: pd.DataFrame, _heads: pd.DataFrame, layers: pd.DataFrame) -> pd.DataFrame:
    """A far pair of the first layer, and near ones of the layer of shortest reach."""
    drawn = examples[examples["tenth"] > 0]
    nearest = layers["layer"].iloc[int(layers["mean_distance"].argmin())]
    far = drawn[drawn["layer"] == layers["layer"].iloc[0]].nlargest(1, "distance")
    return pd.concat([far, drawn[drawn["layer"] == nearest].nsmallest(NUMBER - 1, "distance")])


def _of_late_head(
    examples: pd.DataFrame, heads: pd.DataFrame, layers: pd.DataFrame, column: str, part: int, kind: str
) -> pd.DataFrame:
    """Pairs of a kind, of the head with most of a statistic among the last layers: one part of so many of all."""
    late = heads[heads["layer"] > len(layers) - max(1, len(layers) // part)]
    mine = _of_head(examples, late.loc[late[column].idxmax()])
    return _rather(mine, mine["kind"] == kind)


def _roles(examples: pd.DataFrame, heads: pd.DataFrame, _layers: pd.DataFrame) -> pd.DataFrame:
    """Repetitions of the head that repeats most, where one does, and a pair at the anchor of the head that gathers most."""
    top, anchored = shows_most(heads, "repetition"), _anchors(examples, heads, _layers)
    if top is None:
        return anchored
    repeats = _of_head(examples, top)
    return pd.concat([_rather(repeats, repeats["kind"] == "repetition").head(NUMBER - 1), anchored])


def _anchors(examples: pd.DataFrame, heads: pd.DataFrame, _layers: pd.DataFrame) -> pd.DataFrame:
    """Pairs that touch the anchor of the head that gathers most."""
    top = heads.loc[(heads["anchor_coverage"] - heads["chance_anchor_coverage"]).idxmax()]
    mine = _of_head(examples, top)
    return _rather(mine, (mine["first_token"] == top["anchor"]) | (mine["second_token"] == top["anchor"]))


def _noise(examples: pd.DataFrame, heads: pd.DataFrame, _layers: pd.DataFrame) -> pd.DataFrame:
    """The weakest strong pairs of the head that unrelated tokens pass most often."""
    mine = _of_head(examples, heads.loc[heads["noise_rate"].idxmax()])
    return mine.sort_values("tenth", ascending=False, kind="stable")


_CHOOSE: dict[str, Callable[[pd.DataFrame, pd.DataFrame, pd.DataFrame], pd.DataFrame]] = {
    "C1": _own_matrices,
    "C2": _reach,
    "C3": partial(_of_late_head, column="same_sentence_share", part=3, kind="same sentence"),
    "C4": _roles,
    "C5": _anchors,
    "C6": partial(_of_late_head, column="separator_attention", part=4, kind="separator"),
    "C7": _noise,
}
