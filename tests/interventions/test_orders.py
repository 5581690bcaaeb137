"""Orders in which heads go, and the curves along them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.head import Head, every_head
from attn_core.interventions.effects import effects_of
from attn_core.interventions.orders import at_random, by_role, by_value, counts_up_to, heads_that_can_go, pruning_curve
from tests.families import IN_SHORT as TEXT
from tests.families import Tiny


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


def test_a_curve_is_the_effect_of_the_first_heads_together(tiny_model: Tiny, read) -> None:
    model = tiny_model("bert")
    passages = [read(model, TEXT), read(model, "Some say the rope held.")]
    order = every_head(model.layers, model.heads)
    counts = counts_up_to(len(order))
    assert counts == [1, 2, 3, 4, 6, 9, 12]
    curve = pruning_curve(model, passages, order, counts)
    for passage, row in zip(passages, curve, strict=True):
        alone = [effects_of(model, passage, [order[:count]]).embedding[0] for count in counts]
        assert row == pytest.approx(alone, abs=1e-5)


@pytest.mark.parametrize(("bar", "heads"), [(0.05, 0), (0.1, 1), (0.25, 2), (0.35, 2), (1, 8)])
def test_heads_can_go_until_the_bar_is_passed_for_the_first_time(bar: float, heads: int) -> None:
    assert heads_that_can_go([1, 2, 4, 8], np.array([0.1, 0.2, 0.4, 0.3]), bar) == heads
