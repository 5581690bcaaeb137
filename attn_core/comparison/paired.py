"""Differences between two studies, with 95 % intervals over texts.

Studies of one corpus are paired: the same texts are left out of both, so that what a text does to both models cancels. A text
that one of them could not count is left out of both. Studies of different corpora have no interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attn_core.comparison.subjects import at_depths, relative_depth
from attn_core.errors import InputError
from attn_core.measures.statistics import COUNTED, STATISTICS, Statistic
from attn_core.numerics.leave_one_out import effective, interval
from attn_core.study.opened import Study, numbers
from attn_core.study.shard_tables import counted_texts, group_sizes, read_tally


@dataclass(frozen=True, eq=False)
class PairedDifferences:
    """Study a minus study b. paired: whether the texts are the same; texts: how many of each.

    layers: statistic, depth, first, second, difference, low, high. means: the same over all layers, without depth.
    """

    paired: bool
    texts: tuple[int, int]
    layers: pd.DataFrame
    means: pd.DataFrame


def same_corpus(a: Study, b: Study) -> bool:
    """Whether both studies are of the same texts, read in the same way."""
    return a.manifest["corpus"]["fingerprint"] == b.manifest["corpus"]["fingerprint"]


def texts_of_both(a: Study, b: Study) -> tuple[np.ndarray, np.ndarray, bool]:
    """The numbers of the texts that count in each, and whether these are the same texts.

    Raises InputError where two studies of one corpus have no text in common.
    """
    paired = same_corpus(a, b)
    own, theirs = (np.unique(np.concatenate([numbers(t["text"]) for t in counted_texts(s.folder)])) for s in (a, b))
    if paired:
        own = theirs = np.intersect1d(own, theirs)
    if not len(own):
        raise InputError("These two studies have no text in common: every text could be counted by one of them only.")
    return own, theirs, paired


def paired_differences(a: Study, b: Study) -> PairedDifferences:
    """Every counted statistic of a minus b, layer by layer (see `subjects.layer_differences`) and over all layers.

    Raises InputError where two studies of one corpus have no text in common.
    """
    own, theirs, paired = texts_of_both(a, b)
    tallies, sizes = [], []
    for study, texts in ((a, own), (b, theirs)):
        tallies.append(read_tally(study.folder, texts))
        sizes.append(group_sizes(study.folder, texts)[0])
    depths = min((relative_depth(study.shape[0]) for study in (a, b)), key=len)
    names = set(tallies[0].names) & set(tallies[1].names)
    layers, means = [], []
    for statistic in COUNTED:
        if statistic in STATISTICS and (statistic.follows or statistic.name in names):
            values = [
                statistic.values(tally).reshape(-1, *study.shape).mean(axis=-1)
                for tally, study in zip(tallies, (a, b), strict=True)
            ]
            at = [at_depths(of_layers, depths) for of_layers in values]
            overall = [of_layers.mean(axis=1, keepdims=True) for of_layers in values]
            layers.append(_rows(statistic, at, sizes, paired).assign(depth=depths))
            means.append(_rows(statistic, overall, sizes, paired))
    tables = (pd.concat(parts, ignore_index=True) for parts in (layers, means))
    return PairedDifferences(paired, (len(own), len(theirs)), *tables)


def _rows(
    statistic: Statistic, values: Sequence[np.ndarray], sizes: Sequence[np.ndarray], paired: bool
) -> pd.DataFrame:
    """values: (R, n) of each study, the study itself in row 0; sizes: of the texts of each."""
    difference = values[0] - values[1]
    low, high = (
        interval(difference, min(sizes, key=effective)) if paired else np.full((2, *difference[0].shape), np.nan)
    )
    return pd.DataFrame(
        {
            "statistic": statistic.name,
            "first": values[0][0],
            "second": values[1][0],
            "difference": difference[0],
            "low": low,
            "high": high,
        }
    )
