"""Orders in which heads go."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.head import Head, every_head
from attn_core.interventions.orders import at_random, by_role, by_value, counts_up_to, heads_that_can_go


def test_the_smallest_goes_first_and_of_equal_ones_the_earlier() -> None:
    assert by_value(np.array([[2.0, 1.0], [1.0, 0.5]])) == [Head(1, 1), Head(0, 1), Head(1, 0), Head(0, 0)]


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 1000))
def test_every_order_has_each_head_once(layers: int, heads: int, seed: int) -> None:
    rng, every = np.random.default_rng(seed), every_head(layers, heads)
    roles = rng.choice(["anchor", "mixed"], len(every)).tolist()
    value = rng.normal(size=(layers, heads))
    orders = [by_value(value), by_role(roles, "anchor", value)]
    for order in [*orders, *at_random((layers, heads), draws=2, seed=seed)]:
        assert sorted(order) == every


def test_the_heads_of_a_role_go_first_the_least_important_of_them_before_the_others() -> None:
    importance = np.array([[3.0, 1.0], [2.0, 4.0]])
    order = by_role(["anchor", "mixed", "anchor", "mixed"], "anchor", importance)
    assert order == [Head(1, 0), Head(0, 0), Head(0, 1), Head(1, 1)]


def test_a_curve_ends_with_all_heads() -> None:
    assert counts_up_to(12) == [1, 2, 3, 4, 6, 9, 12]


@pytest.mark.parametrize(("threshold", "heads"), [(0.05, 0), (0.1, 1), (0.25, 2), (0.35, 2), (1, 8)])
def test_heads_can_go_until_the_bar_is_passed_for_the_first_time(threshold: float, heads: int) -> None:
    assert heads_that_can_go([1, 2, 4, 8], np.array([0.1, 0.2, 0.4, 0.3]), threshold) == heads
