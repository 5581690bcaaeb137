"""All pairs of a few things, against loops."""

from collections.abc import Sequence

import numpy as np
import pytest

from attn_core.numerics.pairs import CACHED_UP_TO, every_pair, pairs_among, permuted_pairs


@pytest.mark.parametrize("positions", [[], [0], [5], [0, 1, 2, 3], [1, 2, 3], [0, 2, 7], range(CACHED_UP_TO + 1)])
def test_pairs_are_those_of_two_loops(positions: Sequence[int]) -> None:
    expected = [(i, j) for i in positions for j in positions if i < j]
    assert list(zip(*(end.tolist() for end in pairs_among(np.array(positions, dtype=int))), strict=True)) == expected


def test_pairs_that_are_kept_cannot_be_changed() -> None:
    first, second = every_pair(7)
    for end in (first, second):
        with pytest.raises(ValueError, match="read-only"):
            end += 1


def test_pairs_go_where_their_tokens_go() -> None:
    matrix, order = np.arange(25).reshape(5, 5), np.array([3, 0, 4, 1, 2])
    matrix = matrix + matrix.T
    i, j = np.triu_indices(5, k=1)
    np.testing.assert_array_equal(matrix[i, j][permuted_pairs(order)], matrix[np.ix_(order, order)][i, j])
