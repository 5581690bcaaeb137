"""Orders in which heads go, and the curves along them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.head import Head, every_head
from attn_core.interventions.effects import effects_of
from attn_core.interventions.orders import (
    Greedy,
    at_random,
    by_redundancy,
    by_role,
    by_value,
    counts_up_to,
    go_on,
    heads_that_can_go,
    pruning_curve,
)
from attn_core.texts.passages import Passage
from tests.families import IN_SHORT as TEXT
from tests.families import Tiny


def test_the_smallest_goes_first_and_of_equal_ones_the_earlier() -> None:
    assert by_value(np.array([[2.0, 1.0], [1.0, 0.5]])) == [Head(1, 1), Head(0, 1), Head(1, 0), Head(0, 0)]


def test_of_two_twins_one_goes_and_the_other_is_redundant_no_longer() -> None:
    """Heads 0 and 1 are twins, 2 and 3 are alike, 1 is also like 2: so 1 goes, then 2 or 3, and 0 stays to the end."""
    correlation = np.eye(4)
    for a, b, alike in ((0, 1, 0.9), (2, 3, 0.6), (1, 2, 0.5), (0, 2, 0.1)):
        correlation[a, b] = correlation[b, a] = alike
    order = by_redundancy(correlation, (2, 2))
    assert order[0] == Head(0, 1)
    assert order[1] in (Head(1, 0), Head(1, 1))
    assert Head(0, 0) in order[2:]


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 1000))
def test_every_order_has_each_head_once(layers: int, heads: int, seed: int) -> None:
    rng, every = np.random.default_rng(seed), every_head(layers, heads)
    square = rng.normal(size=(len(every), len(every)))
    roles = rng.choice(["anchor", "mixed"], len(every)).tolist()
    value = rng.normal(size=(layers, heads))
    orders = [by_value(value), by_redundancy(square + square.T, (layers, heads)), by_role(roles, "anchor", value)]
    for order in [*orders, *at_random((layers, heads), draws=2, seed=seed)]:
        assert sorted(order) == every


def test_the_heads_of_a_role_go_first_the_least_important_of_them_before_the_others() -> None:
    importance = np.array([[3.0, 1.0], [2.0, 4.0]])
    order = by_role(["anchor", "mixed", "anchor", "mixed"], "anchor", importance)
    assert order == [Head(1, 0), Head(0, 0), Head(0, 1), Head(1, 1)]


def test_greed_takes_the_least_harmful_head_at_each_step(tiny_model: Tiny, read) -> None:
    model = tiny_model("bert")
    passage: Passage = read(model, TEXT)
    greedy = Greedy((model.layers, model.heads), most=3)
    while go_on(greedy, model, [passage]):
        pass
    order = greedy.gone
    every = every_head(model.layers, model.heads)
    for step in range(3):
        left = [head for head in every if head not in order[:step]]
        each = [effects_of(model, passage, [[*order[:step], head]]).embedding[0] for head in left]
        assert order[step] == left[int(np.argmin(each))]


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


def test_greed_that_tries_few_measures_those_again_that_added_least() -> None:
    """Effects that add up: no measurement changes what was known, and the least important go in turn."""
    value = np.array([[0.3, 0.1], [0.2, 0.4]])
    greedy = Greedy((2, 2), most=3, alone=value, tried=2)
    asked = []
    while removals := greedy.next_removals():
        asked.append(removals)
        greedy.measured(np.array([sum(value[head] for head in removal) for removal in removals]))
    assert greedy.gone == by_value(value)[:3]
    assert greedy.effect == pytest.approx(0.6)
    assert asked[0] == [[Head(0, 1)], [Head(1, 0)]]
    assert asked[1] == [[Head(0, 1), Head(1, 0)], [Head(0, 1), Head(0, 0)]]


def test_greed_ends_where_the_effect_is_large() -> None:
    greedy = Greedy((1, 4), until=0.15, alone=np.full((1, 4), 0.1))
    while removals := greedy.next_removals():
        greedy.measured(np.array([0.1 * len(removal) for removal in removals]))
    assert len(greedy.gone) == 2
