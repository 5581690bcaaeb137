"""What strong pairs are made of, against a brute force over every pair of every head."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attn_core.analysis.one_text import analyze_reading
from attn_core.analysis.reading import Reading, read
from attn_core.models.head_outputs import as_array
from attn_core.models.records import LoadedModel
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.selection import find_strong_and_aligned, find_strong_pairs
from attn_core.similarity.strength import find_longest_pairs, find_strength
from attn_core.similarity.strong_pairs import MEASURES, Measure, Settings
from attn_core.texts.documents import read_document
from tests.families import TEXT
from tests.similarity.test_selection import brute_force, passage_of

SMALL = [-2.0, -1.0, 0.0, 1.0, 2.0]


def longest_by_brute_force(z: np.ndarray, eligible: np.ndarray, keep: int) -> list[int]:
    norms = torch.from_numpy(z).norm(dim=-1).numpy().astype(np.float64)
    return sorted(i * len(z) + j for i, j in brute_force(np.outer(norms, norms), eligible, keep))


@given(data=st.data())
def test_the_longest_pairs_are_exact_among_many_equal_lengths_and_zeros(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 16))
    values = np.random.default_rng(data.draw(st.integers(0, 2**32))).choice(
        data.draw(st.sampled_from([[0.0], [0.0, 1.0], SMALL])), (1, 2, n, data.draw(st.integers(1, 3)))
    )
    z = values.astype(np.float32)
    special = tuple(data.draw(st.sets(st.integers(0, n - 1), max_size=n - 2)))
    pairs = find_strong_pairs(z, passage_of(n, special), data.draw(st.floats(0.001, 1.0)), with_special=False)
    longest = find_longest_pairs(z, pairs)
    for head in range(2):
        assert longest[0, head].tolist() == longest_by_brute_force(z[0, head], pairs.eligible, pairs.shape[2])


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.3])
def test_the_longest_pairs_are_exact_on_long_passages(share: float) -> None:
    z = np.random.default_rng(0).normal(size=(1, 1, 200, 3)).astype(np.float32)
    z[0, 0, ::7] = 0.5
    pairs = find_strong_pairs(z, passage_of(200), share)
    expected = longest_by_brute_force(z[0, 0], pairs.eligible, pairs.shape[2])
    assert find_longest_pairs(z, pairs)[0, 0].tolist() == expected


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("with_special", [True, False])
def test_a_tiny_model_gives_what_a_loop_over_all_pairs_gives(
    tiny_model: Callable[[str], LoadedModel], measure: Measure, with_special: bool
) -> None:
    reading = read(tiny_model("bert"), read_document(TEXT), window=1)
    (window,) = analyze_reading(replace_unrelated(reading), Settings(measure, 0.05, with_special)).measured
    pairs, other = window.pairs, reading.unrelated[0]
    z, its = as_array(reading.outputs[0].z), as_array(other.z)
    keep = pairs.shape[2]
    theirs = np.ones(len(other.passage), dtype=bool) if with_special else ~other.passage.is_special
    cosines = context_similarity(z, "cosine")
    apart = _as_by_definition(z, measure), _as_by_definition(its, measure)
    directions = _as_by_definition(z, "cosine"), _as_by_definition(its, "cosine")
    for layer, head in np.ndindex(*z.shape[:2]):
        longest = longest_by_brute_force(z[layer, head], pairs.eligible, keep)
        assert window.strength.longest[layer, head].tolist() == longest
        aligned = brute_force(cosines[layer, head], pairs.eligible, keep)
        least = cosines[layer, head][aligned[-1]]
        assert window.strength.aligned_bar[layer, head] == pytest.approx(least, abs=1e-6)
        bar = pairs.similarity[layer, head].min()
        alike = apart[0][layer, head][pairs.eligible] @ apart[1][layer, head][theirs].T >= bar
        same = pairs.passage.token_ids[pairs.eligible][:, None] == other.passage.token_ids[theirs]
        assert same.any() and not same.all()
        assert window.strength.looked.tolist() == [alike.size, alike.size - same.sum()]
        passed = [alike.sum(), (alike & ~same).sum()]
        np.testing.assert_allclose(window.strength.reached[:, layer, head], passed, atol=2)
        passed = directions[0][layer, head][pairs.eligible] @ directions[1][layer, head][theirs].T >= least
        assert abs(window.strength.reached_aligned[layer, head] - passed.sum()) <= 2


def replace_unrelated(reading: Reading) -> Reading:
    """The reading held against the first of its unrelated texts alone."""
    alone = replace(reading)
    alone.__dict__["unrelated"] = reading.unrelated[:1]
    return alone


def test_each_of_several_unrelated_texts_has_a_rate_of_its_own() -> None:
    rng = np.random.default_rng(4)
    z, *others = (rng.normal(size=(2, 3, size, 4)).astype(np.float32) for size in (40, 30, 90))
    pairs, aligned = find_strong_and_aligned(z, passage_of(40), Settings("dot", 0.05))
    several = [(passage_of(other.shape[2]), other) for other in others]
    strength = find_strength(z, pairs, aligned, Settings(share=0.05), several)
    looked_at = [np.arange(30), 90 * np.arange(48) // 48]
    assert strength.looked[0] == 40 * (30 + 48)
    for layer, head in np.ndindex(2, 3):
        passed = [
            (z[layer, head] @ other[layer, head, at].T >= pairs.similarity[layer, head, -1]).sum()
            for other, at in zip(others, looked_at, strict=True)
        ]
        assert strength.reached[0, layer, head] == sum(passed)
        share = pairs.shape[2] / len(pairs.all_pairs[0])
        expected = [count / (40 * len(at) * share) for count, at in zip(passed, looked_at, strict=True)]
        assert strength.rates[:, layer, head] == pytest.approx(expected)


def _as_by_definition(z: np.ndarray, measure: Measure) -> np.ndarray:
    """The vectors of a window whose scalar products a measure takes."""
    if measure == "dot":
        return z
    if measure == "centred":
        z = z - z.mean(axis=2, keepdims=True)
    return z / np.linalg.norm(z, axis=-1, keepdims=True)


def test_unrelated_pairs_are_counted_at_the_bar_and_those_of_one_token_apart() -> None:
    z = np.array([1.0, 2, 3])[None, None, :, None].astype(np.float32)  # products 2 3 6; the strongest is 6
    other = np.array([1.0, 2, 4])[None, None, :, None].astype(np.float32)
    both = find_strong_and_aligned(z, passage_of(3), Settings("dot", 0.1))
    strength = find_strength(z, *both, Settings(share=0.1), [(passage_of(3), other)])
    assert strength.looked.tolist() == [9, 6]
    assert strength.reached[:, 0, 0].tolist() == [3, 2]  # 3 x 2, 2 x 4, and 3 x 4, which are one token


def test_of_a_long_unrelated_text_evenly_spaced_tokens_are_looked_at() -> None:
    rng = np.random.default_rng(0)
    z, other = (rng.normal(size=(1, 2, size, 4)).astype(np.float32) for size in (40, 300))
    pairs, aligned = find_strong_and_aligned(z, passage_of(40), Settings("dot", 0.05))
    strength = find_strength(z, pairs, aligned, Settings(share=0.05), [(passage_of(300, special=(0, 299)), other)])
    looked_at = [300 * step // 128 for step in range(128)]
    assert strength.looked[0] == 40 * 128
    for head in range(2):
        passed = z[0, head] @ other[0, head, looked_at].T >= pairs.similarity[0, head, -1]
        assert strength.reached[0, 0, head] == passed.sum()


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("value", [0.0, 3.7])
def test_equal_vectors_make_no_statistic_that_is_not_a_number(measure: Measure, value: float) -> None:
    z = np.full((2, 2, 9, 4), value, dtype=np.float32)
    settings = Settings(measure)
    both = find_strong_and_aligned(z, passage_of(9), Settings(measure, 0.01))
    strength = find_strength(z, *both, settings, [(passage_of(9), z)])
    assert strength.longest.tolist() == [[[1]] * 2] * 2
    assert (strength.reached >= 0).all()
