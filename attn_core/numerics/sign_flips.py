"""Is a number larger than random signs alone would make it? Of pairs, of a whole curve; and Holm's correction of many p."""

import numpy as np

BLOCK = 512  # flips at once
FEWEST = 6  # texts, or pairs: of five the smallest p, two-sided, is 2/32


def sign_flip_p(differences: np.ndarray, flips: int, seed: int) -> np.ndarray:
    """p of each column of differences (n, k), two-sided: how often random signs make a sum at least as far from 0.

    Under the null hypothesis the two of a pair might as well change places, so that each difference has either sign
    alike (Fisher 1935). The signs as they are count as one of the flips. A pair without a difference (NaN) is left out.
    """
    values = np.nan_to_num(differences)
    size = np.abs(values.sum(axis=0)) * (1 - 1e-12)  # sums in another order are equal
    rng, reached = np.random.default_rng(seed), np.ones(values.shape[1])
    for start in range(0, flips, BLOCK):
        signs = rng.integers(0, 2, (min(BLOCK, flips - start), len(values))) * 2.0 - 1
        reached += (np.abs(signs @ values) >= size).sum(axis=0)
    return reached / (1 + flips)


def joint_flip_p(influences: np.ndarray, apart: np.ndarray, flips: int, seed: int) -> float:
    """p of many specifications together, two-sided: how often random signs give a median at least as far from 0.

    influences: (specifications, texts), what each text adds to each specification's number, told from their mean over texts
    (Efron 1982: (n - 1) times what it changes by when the text is left out). apart: (specifications,), how far the numbers are
    from the null hypothesis. All specifications have the same signs, so that what they share stays. The statistic is the median
    of Simonsohn, Simmons & Nelson 2020, "Specification curve analysis". What is flipped is a text's influence with how far its
    specification is apart, so that the curve as it is counts as one of the flips: of few texts influences alone would vary
    too little around their own mean.
    """
    values = (influences - influences.mean(axis=1, keepdims=True) + apart[:, None]).T / influences.shape[1]
    size = abs(float(np.median(apart))) * (1 - 1e-12)
    rng, reached = np.random.default_rng(seed), 1
    for start in range(0, flips, BLOCK):
        signs = rng.integers(0, 2, (min(BLOCK, flips - start), len(values))) * 2.0 - 1
        medians = np.median(signs @ values, axis=1)
        reached += int((np.abs(medians) >= size).sum())
    return reached / (1 + flips)


def holm(p: np.ndarray) -> np.ndarray:
    """Each p (n,) corrected for all of them, after Holm 1979, "A simple sequentially rejective multiple test procedure"."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(stepped, 1)
    return corrected
