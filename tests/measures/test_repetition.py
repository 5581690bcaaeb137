"""What heads repeat beyond one token: against loops over the pairs, whatever the order of the windows."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from attn_core.measures.repetition import beyond_one_token
from attn_core.measures.roles import assign_roles
from attn_core.measures.token_coverage import touched_and_repeated
from attn_core.similarity.strong_pairs import StrongPairs
from tests.measures.made_up import (
    GRID,
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


def most_repeated(window: StrongPairs, found: Counter[int]) -> int:
    """The token that is repeated most, of equal ones the rarest, then the lowest."""
    ids = window.passage.token_ids[window.eligible].tolist()
    return min(set(ids), key=lambda token: (-found[token], ids.count(token), token))


@given(windows())
def test_what_is_repeated_is_that_of_a_loop_over_pairs(by_window: list[StrongPairs]) -> None:
    heads = heads_of(map(measured, by_window)).set_index(["layer", "head"])
    names = {i: t for w in by_window for i, t in zip(w.passage.token_ids.tolist(), w.passage.tokens, strict=True)}
    for layer, head in GRID:
        shown, chance, of_all = 0, 0.0, Counter[int]()
        for window in by_window:
            found = twice(window, chosen_pairs(window, layer, head))
            without, anywhere = most_repeated(window, found), twice(window, all_pairs(window))
            shown += found.total() - found[without]
            chance += (anywhere.total() - anywhere[without]) * window.shape[2] / len(all_pairs(window))
            of_all += found
        strong, row = sum(window.shape[2] for window in by_window), heads.loc[(layer + 1, head + 1)]
        assert row["other_repetition_share"] == pytest.approx(shown / strong)
        assert row["chance_other_repetition_share"] == pytest.approx(chance / strong, abs=1e-6)
        by_name = {names[token]: number for token, number in of_all.items()}
        named = [by_name[name] for name in row["repeated_tokens"].split()]
        assert named == sorted(by_name.values(), reverse=True)[:3]


def test_random_pairs_stay_below_chance_on_average_and_far_below_the_excess_of_a_role() -> None:
    """As the token is chosen from the pairs that are counted."""
    ids = np.random.default_rng(3).zipf(1.6, 300).clip(max=60).tolist()
    window = random_choice(made_passage(ids), 450, seed=1, shape=(1, 2000))
    count = beyond_one_token(measured(window))
    excess = (count.numerator - count.chance) / count.weight
    assert -0.02 < excess.mean() < 0
    assert excess.max() < 0.06
    _, every = touched_and_repeated(window)
    error = every.shares.sum(axis=-1).std() / 2000**0.5
    assert every.shares.sum(axis=-1).mean() == pytest.approx(every.chance.sum(), abs=4 * error)


def test_a_head_that_repeats_one_token_alone_is_an_anchor_at_it_and_one_that_repeats_many_has_the_role() -> None:
    passage = made_passage([*range(12)] * 12 + [*range(20, 60)])  # token t at t, t + 12, ...
    same = [[(i, j) for i in range(t, 144, 12) for j in range(i + 12, 144, 12)] for t in range(12)]
    alone, many = same[3][:60], [pair for pairs in same for pair in pairs[:5]]
    heads = heads_of([measured(made_pairs(passage, [[alone, many]]))])
    roles = assign_roles(heads)
    assert roles[["role", "second_role"]].to_numpy().tolist() == [["anchor", ""], ["repetition", ""]]
    assert heads["repetition_share"].tolist() == [1, 1]
    assert heads["other_repetition_share"].tolist() == [0, 55 / 60]
    assert (heads["anchor"][0], heads["anchor_coverage"][0], heads["repeated_tokens"][0]) == ("boat", 1, "boat")
