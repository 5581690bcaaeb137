"""Attention to separators and its spread, against loops over queries and keys."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from attn_core.measures.statistics import BY_NAME, attention_spread
from attn_core.measures.tally import Tally
from attn_core.texts.passages import Passage
from tests.measures.made_up import GRID, measured, passages, random_choice


def even_map(n: int, reach: int) -> np.ndarray:
    seen = np.tril(np.triu(np.ones((n, n)), -reach), reach)
    return seen / seen.sum(axis=1, keepdims=True)


def given_to(passage: Passage, weights: np.ndarray, special: tuple[bool, ...]) -> list[float]:
    """What every query gives to separators, special ones or others. weights: (query, key)."""
    keys = [k for k in range(len(passage)) if passage.is_separator[k] and bool(passage.is_special[k]) in special]
    return [sum(weights[query, key] for key in keys) for query in range(len(passage))]


@pytest.mark.parametrize(
    ("name", "special"),
    [("separator_attention", (True, False)), ("sep_attention", (True,)), ("punctuation_attention", (False,))],
)
@given(texts=st.lists(passages(), min_size=1, max_size=3), seed=st.integers(0, 1000), reach=st.integers(0, 4))
def test_attention_to_separators_is_the_mean_over_the_queries_of_all_windows(
    texts: list[Passage], seed: int, reach: int, name: str, special: tuple[bool, ...]
) -> None:
    """The first layer sees `reach` tokens to each side, the second all."""
    rng, tally = np.random.default_rng(seed), Tally()
    maps = [rng.dirichlet(np.ones(len(text)), size=(2, 2, len(text))) for text in texts]
    for text, weights in zip(texts, maps, strict=True):
        even = np.stack([even_map(len(text), seen).mean(axis=0) for seen in (reach, len(text))])
        window = measured(random_choice(text, 1, seed=0), weights.mean(axis=2), even)
        assert (count := BY_NAME[name].count)
        tally.add_each("it", [count(window)])
    for value, head in zip(tally.value("it"), GRID, strict=True):
        queries = [w for text, one in zip(texts, maps, strict=True) for w in given_to(text, one[head], special)]
        assert value == pytest.approx(np.mean(queries), abs=1e-7)
    for chance, seen in zip(tally.chance("it"), (reach, 20), strict=True):
        by_chance = [w for text in texts for w in given_to(text, even_map(len(text), seen), special)]
        assert chance == pytest.approx(np.mean(by_chance), abs=1e-7)


@given(texts=st.lists(passages(), min_size=1, max_size=3), seed=st.integers(0, 1000), reach=st.integers(0, 4))
def test_the_spread_of_attention_is_the_effective_number_of_tokens_over_all_of_them(
    texts: list[Passage], seed: int, reach: int
) -> None:
    def tokens_that_receive(weights: np.ndarray) -> float:
        return float(np.exp(entropy(weights.sum(axis=0))))

    rng, tally, n = np.random.default_rng(seed), Tally(), sum(map(len, texts))
    maps = [rng.dirichlet(np.ones(len(text)), size=(2, 2, len(text))) for text in texts]
    for text, weights in zip(texts, maps, strict=True):
        even = np.stack([even_map(len(text), seen).mean(axis=0) for seen in (reach, len(text))])
        tally.add_each("it", [attention_spread(measured(random_choice(text, 1, seed=0), weights.mean(axis=2), even))])
    for value, head in zip(tally.value("it"), GRID, strict=True):
        assert value == pytest.approx(sum(tokens_that_receive(one[head]) for one in maps) / n)
    local, whole = tally.chance("it")
    assert local == pytest.approx(sum(tokens_that_receive(even_map(len(text), reach)) for text in texts) / n)
    assert whole == pytest.approx(1)
