"""Is a mean difference larger than its signs alone would make it? Paired sign-flips, and Holm's correction of many p."""

import numpy as np

BLOCK = 512  # flips at once


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


def holm(p: np.ndarray) -> np.ndarray:
    """Each p (n,) corrected for all of them, after Holm 1979, "A simple sequentially rejective multiple test procedure"."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(stepped, 1)
    return corrected
