"""Is what heads look like related to what they matter? Rank correlations of importance with statistics, with chance levels."""

import numpy as np
import pandas as pd
from scipy.stats import rankdata

DRAWS = 2000  # permutations
ALPHA = 0.05


def relations(importance: np.ndarray, statistics: pd.DataFrame, draws: int = DRAWS, seed: int = 0) -> pd.DataFrame:
    """Spearman's correlation of the heads' importance with each statistic, over all heads and within layers.

    importance: (layer, head); statistics: a row a head, layer by layer, a column a statistic. Within layers the ranks are
    those among the heads of a layer, so that what only grows with depth is not counted; NaN where a layer has one head. A
    statistic that lacks a head's number has NaN throughout.

    Columns: statistic, correlation, chance_correlation (what importances that change places stay within in 95 % of draws),
    p_adjusted (of all statistics at once: the largest of any of them, Westfall and Young), and the same with _within, where
    they change places within layers only.
    """
    generator, shape = np.random.default_rng(seed), importance.shape
    own, values = importance[None], statistics.to_numpy(float).T.reshape(-1, *shape)
    over_all = _columns(_standard(own.reshape(1, -1)), _standard(values.reshape(len(values), -1)), generator, draws)
    alone = shape[1] == 1
    none = np.full((3, len(values)), np.nan)
    within = none if alone else _columns(_standard(own), _standard(values), generator, draws)
    names = ["correlation", "chance_correlation", "p_adjusted"]
    names += [f"{name}_within" for name in names]
    columns = dict(zip(names, [*over_all, *within], strict=True))
    return pd.DataFrame({"statistic": list(statistics.columns), **columns})


def _standard(values: np.ndarray) -> np.ndarray:
    """Ranks along the last axis with mean 0, (rows, ...); those of a row together have length 1, or are 0."""
    ranked = rankdata(values, axis=-1)
    ranked -= ranked.mean(axis=-1, keepdims=True)
    length = np.sqrt((ranked**2).reshape(len(ranked), -1).sum(axis=1)).reshape(-1, *[1] * (ranked.ndim - 1))
    return np.divide(ranked, length, out=np.zeros_like(ranked), where=length != 0)  # NaN stays NaN


def _columns(own: np.ndarray, values: np.ndarray, generator: np.random.Generator, draws: int) -> np.ndarray:
    """(3, statistics): correlation, what chance stays within, p over all statistics. Last axis: the heads that change places."""
    flat = values.reshape(len(values), -1)
    correlations = flat @ own.ravel()
    drawn = generator.permuted(np.repeat(own, draws, axis=0), axis=-1).reshape(draws, -1) @ flat.T
    known = ~np.isnan(correlations)
    largest = np.abs(drawn[:, known]).max(axis=1, initial=0)
    # Rounding must not decide whether a draw that is the order itself reaches what was found.
    reached = (largest[:, None] >= np.abs(correlations) - 1e-12).sum(axis=0)
    p = np.where(known, (1 + reached) / (1 + draws), np.nan)
    return np.stack([correlations, np.quantile(np.abs(drawn), 1 - ALPHA, axis=0), p])
