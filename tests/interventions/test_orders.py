"""Orders of heads, and random sets of as many heads of the same layers."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.head import Head, every_head
from attn_core.interventions.orders import at_random, by_role, by_value, counts_up_to, heads_that_can_go, sets_alike


def test_the_smallest_goes_first_and_the_heads_of_a_role_before_the_others() -> None:
    assert by_value(np.array([[2.0, 1.0], [1.0, 0.5]])) == [Head(1, 1), Head(0, 1), Head(1, 0), Head(0, 0)]
    order = by_role(["anchor", "mixed", "anchor", "mixed"], "anchor", np.array([[3.0, 1.0], [2.0, 4.0]]))
    assert order == [Head(1, 0), Head(0, 0), Head(0, 1), Head(1, 1)]
    assert counts_up_to(12) == [1, 2, 3, 4, 6, 9, 12], "a curve ends with all heads"


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 1000))
def test_every_order_has_each_head_once(layers: int, heads: int, seed: int) -> None:
    rng, every = np.random.default_rng(seed), every_head(layers, heads)
    roles = rng.choice(["anchor", "mixed"], len(every)).tolist()
    value = rng.normal(size=(layers, heads))
    orders = [by_value(value), by_role(roles, "anchor", value)]
    for order in [*orders, *at_random((layers, heads), draws=2, seed=seed)]:
        assert sorted(order) == every


@pytest.mark.parametrize(("threshold", "heads"), [(0.05, 0), (0.1, 1), (0.25, 2), (0.35, 2), (1, 8)])
def test_heads_can_go_until_an_effect_is_above_the_threshold(threshold: float, heads: int) -> None:
    assert heads_that_can_go([1, 2, 4, 8], np.array([0.1, 0.2, 0.4, 0.3]), threshold) == heads


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


def test_sets_are_all_where_there_are_fewer_than_draws_and_none_of_whole_layers() -> None:
    assert sets_alike([Head(1, 0)], (2, 4)) == [(Head(1, 1),), (Head(1, 2),), (Head(1, 3),)]
    assert len(sets_alike([Head(0, 0), Head(1, 0)], (2, 4))) == 15
    assert len(sets_alike([Head(0, 0), Head(1, 0)], (2, 5))) == 20  # 24 there are
    assert sets_alike([Head(0, 0), Head(0, 1)], (2, 2)) == []
