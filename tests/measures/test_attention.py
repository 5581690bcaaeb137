"""Attention to separators, against loops over queries and keys."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_core.capture import HeadOutputs
from attn_core.measures.attention import evenly_received, separator_attention, separator_kinds
from attn_core.passages import Passage
from tests.measures.made_up import made_passage, passages

NAMES = ("separator_attention", "sep_attention", "punctuation_attention")


def outputs(maps: np.ndarray) -> HeadOutputs:
    """What a model hands over whose attention maps are these: (layer, head, query, key)."""
    return HeadOutputs(torch.empty(0), torch.from_numpy(maps.mean(axis=2)), torch.from_numpy(maps))


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


@settings(deadline=None)
@given(st.lists(passages(), min_size=1, max_size=3), st.integers(0, 1000), st.booleans())
def test_attention_to_separators_is_the_mean_over_the_queries_of_all_windows(
    found: list[Passage], seed: int, causal: bool
) -> None:
    maps = [random_maps(len(passage), seed) for passage in found]
    even = [even_maps(len(passage), causal) for passage in found]
    result = separator_attention(found, [outputs(one) for one in maps], causal)
    for name in NAMES:
        for layer in range(2):
            for head in range(2):
                queries, by_chance = (
                    [given for p, m in zip(found, some, strict=True) for given in received(p, m, layer, head, name)]
                    for some in (maps, even)
                )
                assert result[name][layer, head] == pytest.approx(np.mean(queries))
                assert result[f"chance_{name}"][layer, head] == pytest.approx(np.mean(by_chance))


@settings(deadline=None)
@given(passages())
def test_sep_and_punctuation_add_up_to_the_separators(passage: Passage) -> None:
    kinds = separator_kinds(passage)
    together = kinds["sep_attention"].astype(int) + kinds["punctuation_attention"]
    np.testing.assert_array_equal(together, passage.is_separator)


def test_chance_is_the_share_of_the_tokens_where_every_query_sees_all() -> None:
    passage = made_passage([0] * 8, special=[0, 7], separators=[3, 7])
    result = separator_attention([passage], [outputs(random_maps(8, 0))])
    assert result["chance_separator_attention"][0, 0] == pytest.approx(2 / 8)
    assert result["chance_sep_attention"][0, 0] == pytest.approx(1 / 8)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_even_attention_gives_every_token_its_chance_level(n: int, causal: bool) -> None:
    np.testing.assert_allclose(evenly_received(n, causal), even_maps(n, causal)[0, 0].mean(axis=0))
    assert evenly_received(n, causal).sum() == pytest.approx(1)


def test_a_causal_model_gives_early_tokens_more_by_chance() -> None:
    assert evenly_received(3, causal=True) == pytest.approx([(1 + 1 / 2 + 1 / 3) / 3, (1 / 2 + 1 / 3) / 3, 1 / 9])


def test_a_text_without_separators_receives_nothing_and_expects_nothing() -> None:
    result = separator_attention([made_passage([0, 1, 2])], [outputs(random_maps(3, 0))])
    assert all((values == 0).all() for values in result.values())
