"""Where a text is cut into windows of like length: at the sentence end nearest to an even share of what is left."""

from itertools import pairwise

import numpy as np

Span = tuple[int, int]  # of tokens


def window_spans(sentence: np.ndarray, room: int, closing: int = 0) -> list[Span]:
    """The windows of a text, one behind the other.

    sentence: (T,), the number of each token's sentence, never falling. room: tokens that a window holds; closing: how many
    of them close each sentence in it. A sentence is cut where no end lies within half a share of the place.
    """
    number = np.cumsum(np.diff(sentence, prepend=-1) != 0)
    ends, cuts = np.flatnonzero(np.diff(number, append=-1)) + 1, [0]
    while (start := cuts[-1]) < len(number):
        left = -(-(len(number) - start + closing * int(number[-1] - number[start] + 1)) // room)
        share, inside = (len(number) - start) / left, number[start : start + room]
        used = np.arange(1, len(inside) + 1) + closing * (inside - inside[0] + 1)
        furthest = start + int(np.searchsorted(used, room, side="right"))
        some = ends[np.searchsorted(ends, start, side="right") : np.searchsorted(ends, furthest, side="right")]
        away = np.abs(some - start - share)
        near = len(some) and away.min() <= share / 2
        cuts.append(int(some[away.argmin()]) if near else min(start + round(share), furthest))
    return list(pairwise(cuts))
