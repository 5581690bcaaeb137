"""What follows for the other heads: how far each head's similarity matrix is from what it was."""

import numpy as np

from attn_core.models.head_outputs import Values, as_array
from attn_core.numerics.ranks import correlation, ranks
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Measure

MOST = 200  # tokens of a window, evenly spread: their pairs are 20,000, and ranks of all of 512 would take seconds


def matrix_changes(
    before: Values, after: Values, measure: Measure, at: np.ndarray, at_after: np.ndarray | None = None
) -> np.ndarray:
    """1 - rank correlation of every head's similarities before and after, (layer, head).

    0: the same order of pairs; 1: nothing in common, also where one makes all pairs alike. before, after: head outputs
    (layer, head, token, d_head). at: the tokens whose pairs are compared; at_after: the same where they stand elsewhere.
    """
    chosen = np.linspace(0, len(at) - 1, min(MOST, len(at))).round().astype(int)
    places = at[chosen], (at if at_after is None else at_after)[chosen]
    i, j = np.triu_indices(len(chosen), k=1)
    changes = []
    for layers in zip(before, after, strict=True):
        of_pairs = (
            as_array(context_similarity(z, measure, tokens))[:, i, j] for z, tokens in zip(layers, places, strict=True)
        )
        changes.append(1 - correlation(*map(ranks, of_pairs)))
    return np.stack(changes)
