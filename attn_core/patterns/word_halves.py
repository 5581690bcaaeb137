"""The score of a pattern in a head that other words of it chose.

The best of many heads is good by luck too, so the head that one half of the pattern's words chooses is scored on the pairs of the
other half. Pairs that share a word are alike in every head: halves of the pairs would tell each other what to choose. Words are
places in the text: the same word elsewhere counts as another. Parts of the pattern that share no word stay whole, but for one of
more than half of the pairs, whose words are dealt out singly; pairs between the halves are left out.
"""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

SPLITS = 20  # at random, over which the score is averaged


def best_heads(percentile: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """The head in which each half has the highest mean percentile, (splits, 2). percentile: (heads, n)."""
    return (halves @ percentile.T / halves.sum(axis=-1)[..., None]).argmax(axis=-1)


def word_halves(windows: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The pairs within each half of the words, (split, 2, n) bool; splits with an empty half are left out, so that there
    are none of a pattern which cannot be split: two words, or a word that all pairs share.

    windows: (n,), the window of each pair. pairs: (n, 2), words of it.
    """
    ends = np.stack([np.repeat(windows, 2), pairs.ravel()], axis=1)
    words = np.unique(ends, axis=0, return_inverse=True)[1].reshape(-1, 2)
    part = _parts(words)
    weight = np.bincount(part[words].ravel(), minlength=part.max() + 1)  # two for each pair
    generator = np.random.default_rng(0)
    kept = []
    for _ in range(SPLITS):
        order = generator.permutation(len(weight))
        before = np.cumsum(weight[order]) - weight[order] / 2
        second = np.empty(len(weight), dtype=bool)
        second[order] = before + generator.uniform(-1e-9, 1e-9) > weight.sum() / 2  # the middle one on either side
        sides = second[part[words]]
        halves = np.stack([~sides.any(axis=1), sides.all(axis=1)])
        if halves.any(axis=1).all():
            kept.append(halves)
    return np.array(kept, dtype=bool).reshape(-1, 2, len(pairs))


def _parts(words: np.ndarray) -> np.ndarray:
    """What is dealt out as one, by word, (words,). words: (n, 2), numbers of the pairs' words from 0."""
    size = words.max() + 1
    graph = coo_array((np.ones(len(words)), tuple(words.T)), shape=(size, size))
    part = connected_components(graph, directed=False)[1]
    pairs_of = np.bincount(part[words[:, 0]])
    alone = np.arange(size) + len(pairs_of)
    apart = np.where(pairs_of[part] * 2 > len(words), alone, part)
    return np.unique(apart, return_inverse=True)[1]
