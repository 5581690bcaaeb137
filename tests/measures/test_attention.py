"""Attention to separators, against loops over queries and keys."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.measures import attention
from attn_core.measures.attention import attention_to
from attn_core.measures.tally import Tally
from attn_core.texts.passages import Passage
from tests.measures.made_up import measured, passages, random_choice

KINDS = {
    "separator_attention": attention.separators,
    "sep_attention": attention.special_separators,
    "punctuation_attention": attention.punctuation,
}


def found_in(
    windows: list[Passage], maps: list[np.ndarray], kind: str, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """What the separators of a kind receive, and its chance level, (layer, head) both."""
    tally = Tally()
    for passage, one in zip(windows, maps, strict=True):
        pairs = random_choice(passage, 1, seed=0)
        tally.add_all({kind: attention_to(KINDS[kind])(measured(pairs, one.mean(axis=2), causal))})
    return tally.value(kind).reshape(2, 2), np.broadcast_to(tally.chance(kind), 4).reshape(2, 2)


def random_maps(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(n), size=(2, 2, n))


def even_maps(n: int, causal: bool) -> np.ndarray:
    seen = np.tril(np.ones((n, n))) if causal else np.ones((n, n))
    return np.tile(seen / seen.sum(axis=1, keepdims=True), (2, 2, 1, 1))


def received(passage: Passage, maps: np.ndarray, layer: int, head: int, kind: str) -> list[float]:
    """What every query gives to the separators of a kind."""
    special = {"separator_attention": (True, False), "sep_attention": (True,), "punctuation_attention": (False,)}[kind]
    keys = [k for k in range(len(passage)) if passage.is_separator[k] and bool(passage.is_special[k]) in special]
    return [sum(maps[layer, head, query, key] for key in keys) for query in range(len(passage))]


@given(st.lists(passages(), min_size=1, max_size=3), st.integers(0, 1000), st.booleans())
def test_attention_to_separators_is_the_mean_over_the_queries_of_all_windows(
    windows: list[Passage], seed: int, causal: bool
) -> None:
    maps = [random_maps(len(passage), seed) for passage in windows]
    even = [even_maps(len(passage), causal) for passage in windows]
    for name in KINDS:
        value, chance = found_in(windows, maps, name, causal)
        for layer in range(2):
            for head in range(2):
                queries, by_chance = (
                    [given for p, m in zip(windows, some, strict=True) for given in received(p, m, layer, head, name)]
                    for some in (maps, even)
                )
                assert value[layer, head] == pytest.approx(np.mean(queries), abs=1e-7)
                assert chance[layer, head] == pytest.approx(np.mean(by_chance), abs=1e-7)
