"""What corpora are told of networks that never learned: the trial that the bars of C2 to C6 are chosen by.

A network's texts are cut into corpora that share none. A share of corpora is a mean over networks, so that its error is theirs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import beta

from attn_core.benchmark.text_counts import TextCounts, kept_counts
from attn_core.findings.bars import ANY_NETWORK, BARS, BY_EFFECT
from attn_core.findings.verdicts import effects_by_row
from attn_core.measures.effects import effect_values, effects_over_texts
from attn_core.models.files import TWINS, ModelSpec
from attn_core.numerics.poisson_bootstrap import weights

SIZES = (4, 10, 40)  # texts of a corpus
AT_MOST = 0.05  # of the corpora of a row and size may be told as in the paper, or unlike it
DRAWS = 200  # of the bootstrap over texts
SURE = 95  # in 100, of its upper bound
NETWORK = ["null", "layers", "seed"]
TRIED = tuple(bars for bars in BARS if bars.effect not in ANY_NETWORK)


def trial(models: Sequence[ModelSpec], seeds: Sequence[int], texts: Sequence[str], folder: Path) -> pd.DataFrame:
    """Every corpus of every twin: null, layers, seed, size, then the columns of an effects table and its side of the bars.

    folder: where the counts of each network are kept, so that a trial goes on and its bars are moved without counting.
    """
    parts = []
    for seed in seeds:
        for model in models:
            for null in TWINS:
                counts = kept_counts(replace(model, twin=(null, seed)), texts, folder)
                parts += [one.assign(null=null, layers=counts.shape[0], seed=seed) for one in corpora(counts)]
    return pd.concat(parts, ignore_index=True)


def corpora(counts: TextCounts, sizes: Sequence[int] = SIZES) -> Iterator[pd.DataFrame]:
    """The effects of corpora of so many texts, with size and side; as many as there are without a text in common."""
    of_text = np.zeros(counts.texts)
    np.add.at(of_text, counts.text, counts.by_name["mean_distance"][-1])
    for size in sizes:
        for first in range(0, counts.texts - size + 1, size):
            times = np.zeros((1 + DRAWS, counts.texts))
            times[:, first : first + size] = weights(np.arange(size), DRAWS, first)
            values = effect_values(counts.tally(times), counts.shape)
            effects = effects_over_texts(*values, of_text[first : first + size])
            by_row = effects_by_row(effects)
            yield effects.assign(size=size, side=[by_row[name].side for name in effects["effect"]])


def told(trial: pd.DataFrame) -> pd.DataFrame:
    """By row and size: the share of corpora as in the paper, that of corpora unlike it, and the upper bound of each.

    The bound is one-sided, that of Clopper & Pearson (1934) over networks, of which as many count as told so as their shares of
    corpora add up to; where these add up to no whole number, by the same beta distribution.
    """
    rows = []
    for bars in TRIED:
        for size, of_size in trial[trial["effect"] == bars.effect].groupby("size"):
            row: dict[str, object] = {"effect": bars.effect, "texts": size, "networks": len(of_size.groupby(NETWORK))}
            for side in ("paper", "against"):
                shares = (of_size["side"] == side).groupby([of_size[name] for name in NETWORK]).mean().to_numpy()
                row |= {side: shares.mean(), f"{side}_bound": _at_most(shares.sum(), len(shares))}
            rows.append(row)
    return pd.DataFrame(rows)


def _at_most(told: float, of: int) -> float:
    return float(beta.ppf(SURE / 100, told + 1, of - told)) if told < of else 1.0


def needed(trial: pd.DataFrame) -> pd.DataFrame:
    """By row: beyond which bars no more than `AT_MOST` of the corpora lie, of any size, null and depth."""
    rows = []
    for name, of_row in trial.groupby("effect", sort=False):
        direction = BY_EFFECT[str(name)].direction
        inner, outer = ("low", "high") if direction > 0 else ("high", "low")
        cells = [cell for _, cell in of_row.groupby(["size", "null", "layers"])]
        paper = max((direction * cell[inner]).quantile(1 - AT_MOST) for cell in cells)
        against = min((direction * cell[outer]).quantile(AT_MOST) for cell in cells)
        rows.append({"effect": name, "paper": direction * paper, "against": direction * against})
    return pd.DataFrame(rows)
