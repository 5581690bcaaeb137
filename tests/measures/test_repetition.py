"""What heads repeat beyond one token: against loops over the pairs, whatever the order of the windows."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from attn_core.measures.repetition import beyond_one_token, name_repeated
from attn_core.measures.roles import assign_roles
from attn_core.measures.token_coverage import touched_and_repeated
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import (
    HEADS,
    LAYERS,
    Pair,
    all_pairs,
    chosen_pairs,
    heads_of,
    made_pairs,
    made_passage,
    measured,
    random_choice,
    windows,
)


def twice(window: StrongPairs, pairs: list[Pair]) -> Counter[int]:
    """How many of some pairs are each token twice."""
    ids = window.passage.token_ids.tolist()
    return Counter(ids[i] for i, j in pairs if ids[i] == ids[j])


def most_repeated(window: StrongPairs, layer: int, head: int) -> int:
    """The token that a head repeats most, of equal ones the rarest, then the lowest."""
    found, ids = twice(window, chosen_pairs(window, layer, head)), window.passage.token_ids[window.eligible].tolist()
    return min(set(ids), key=lambda token: (-found[token], ids.count(token), token))


@given(windows())
def test_the_share_beyond_one_token_is_that_of_a_loop_over_pairs(by_window: list[StrongPairs]) -> None:
    heads = heads_of(map(measured, by_window)).set_index(["layer", "head"])
    strong = sum(window.shape[2] for window in by_window)
    for layer, head in np.ndindex(LAYERS, HEADS):
        shown, chance = 0, Fraction()
        for window in by_window:
            without, every = most_repeated(window, layer, head), all_pairs(window)
            found, anywhere = twice(window, chosen_pairs(window, layer, head)), twice(window, every)
            shown += found.total() - found[without]
            chance += Fraction((anywhere.total() - anywhere[without]) * window.shape[2], len(every))
        row = heads.loc[(layer + 1, head + 1)]
        assert row["other_repetition_share"] == pytest.approx(shown / strong)
        assert row["chance_other_repetition_share"] == pytest.approx(float(chance / strong), abs=1e-6)


@given(windows())
def test_the_repeated_tokens_are_those_of_a_loop_over_the_pairs_of_all_windows(by_window: list[StrongPairs]) -> None:
    heads = heads_of(map(measured, by_window)).set_index(["layer", "head"])
    for layer, head in np.ndindex(LAYERS, HEADS):
        found = sum((twice(window, chosen_pairs(window, layer, head)) for window in by_window), Counter[int]())
        names = {i: t for w in by_window for i, t in zip(w.passage.token_ids.tolist(), w.passage.tokens, strict=True)}
        row = heads.loc[(layer + 1, head + 1)]
        named = row["repeated_tokens"].split()
        by_name = {names[token]: number for token, number in found.items()}
        assert [by_name[name] for name in named] == sorted(by_name.values(), reverse=True)[:3]


def test_random_pairs_stay_below_chance_on_average_and_far_below_the_excess_of_a_role() -> None:
    """As the token is chosen from the pairs that are counted."""
    ids = np.random.default_rng(3).zipf(1.6, 300).clip(max=60).tolist()
    window = random_choice(made_passage(ids), 450, seed=1, shape=(1, 2000))
    count = beyond_one_token(measured(window))
    excess = (count.numerator - count.chance) / count.weight
    assert -0.02 < excess.mean() < 0
    assert excess.max() < 0.06
    _, every = touched_and_repeated(window)
    error = every.coverage.sum(axis=-1).std() / 2000**0.5
    assert every.coverage.sum(axis=-1).mean() == pytest.approx(every.chance.sum(), abs=4 * error)


def test_a_head_that_repeats_one_token_alone_is_an_anchor_at_it_and_one_that_repeats_many_has_the_role() -> None:
    ids = np.tile(np.arange(12), 12)  # token t at t, t + 12, ...
    passage = made_passage([*ids.tolist(), *range(20, 60)])
    same = {
        token: [(i, j) for i in range(144) for j in range(i + 1, 144) if ids[i] == ids[j] == token]
        for token in range(12)
    }
    alone, many = same[3][:60], [pair for token in range(12) for pair in same[token][:5]]
    window = made_pairs(passage, [[alone, many]])
    heads = heads_of([measured(window)])
    roles = assign_roles(heads)
    assert roles["role"].tolist() == ["anchor", "repetition"]
    assert roles["second_role"].tolist() == ["", ""]
    assert heads["repetition_share"].tolist() == [1, 1]
    assert heads["other_repetition_share"].tolist() == [0, 55 / 60]
    assert (heads["anchor"][0], heads["anchor_coverage"][0], heads["repeated_tokens"][0]) == ("boat", 1, "boat")
    assert name_repeated({"repeated_tokens": "tide rope ."}) == "“tide”, “rope”, the full stop"
    assert roles["role_rule"][1].startswith(
        "92% of its strong pairs are one token twice, without the token that it repeats most (“"
    )
