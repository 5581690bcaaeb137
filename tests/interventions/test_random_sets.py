"""Sets of as many heads of the same layers."""

from collections import Counter

import pytest

from attn_core.head import Head
from attn_core.interventions.random_sets import sets_alike


@pytest.mark.parametrize("heads", [[(0, 1)], [(0, 1), (2, 3)], [(1, 0), (1, 1), (1, 2), (0, 5)], [(2, 7), (2, 8)]])
def test_every_set_has_as_many_heads_of_each_layer_and_is_another_one(heads: list[tuple[int, int]]) -> None:
    own = tuple(Head(*head) for head in heads)
    found = sets_alike(own, (3, 12), draws=9)
    assert len(found) == len(set(found)) == 9
    for one in found:
        assert Counter(head.layer for head in one) == Counter(head.layer for head in own)
        assert len(set(one)) == len(own) and set(one) != set(own)
        assert all(head.head < 12 for head in one)
    assert found == sets_alike(own[::-1], (3, 12), draws=9)


def test_all_sets_where_there_are_fewer_than_draws() -> None:
    assert sets_alike([Head(1, 0)], (2, 4)) == [(Head(1, 1),), (Head(1, 2),), (Head(1, 3),)]
    assert len(sets_alike([Head(0, 0), Head(1, 0)], (2, 4))) == 15
    assert len(sets_alike([Head(0, 0), Head(1, 0)], (2, 5))) == 20  # 24 there are


def test_whole_layers_have_no_others() -> None:
    assert sets_alike([Head(0, 0), Head(0, 1)], (2, 2)) == []
