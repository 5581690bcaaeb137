"""The dynamic programme against brute force, the number of segments, scores, peaks and baselines."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attn_core.segmentation import baselines, peaks
from attn_core.segmentation.number import DRAWS, _nulls, find_number
from attn_core.segmentation.partition import best_partition, penalised_partition, segment_gains
from attn_core.segmentation.scores import boundary_f1, score, window_size
from attn_core.segmentation.vectors import centred, head_vectors, joined, unit
from attn_core.texts.documents import read_document

VECTORS = st.integers(2, 7).flatmap(lambda size: arrays(np.float64, (size, 3), elements=st.floats(-2, 2, width=16)))


def gain_by_hand(vectors: np.ndarray, start: int, end: int) -> float:
    """With the shrinkage that was chosen on Choi's documents, 2."""
    return float((vectors[start:end].sum(axis=0) ** 2).sum() / (end - start + 2))


def worth(vectors: np.ndarray, boundaries: tuple[int, ...]) -> float:
    edges = [0, *boundaries, len(vectors)]
    return sum(gain_by_hand(vectors, a, b) for a, b in zip(edges, edges[1:], strict=False))


def all_partitions(size: int, segments: int) -> list[tuple[int, ...]]:
    return list(combinations(range(1, size), segments - 1))


def topics(lengths: list[int], noise: float = 0.4, seed: int = 0) -> tuple[np.ndarray, tuple[int, ...]]:
    rng = np.random.default_rng(seed)
    rows = np.concatenate([np.tile(unit(rng.normal(size=16)), (n, 1)) for n in lengths])
    vectors = centred(rows + noise * rng.normal(size=rows.shape) / 4)
    return vectors, tuple(int(edge) for edge in np.cumsum(lengths)[:-1])


def number_found(vectors: np.ndarray) -> tuple[int, ...]:
    """Boundaries whose number is found, where all sentences weigh the same."""
    return find_number(vectors, np.ones(len(vectors)))


@given(VECTORS)
def test_gains_are_those_of_the_formula(vectors: np.ndarray) -> None:
    gains = segment_gains(vectors)
    for b in range(1, len(vectors) + 1):
        for n in range(1, b + 1):
            assert gains[b, n] == pytest.approx(gain_by_hand(vectors, b - n, b), abs=1e-9)
    assert np.isinf(gains[0]).all()


@given(VECTORS, st.data())
def test_best_partition_is_as_good_as_brute_force(vectors: np.ndarray, data: st.DataObject) -> None:
    segments = data.draw(st.integers(1, len(vectors)))
    partition = best_partition(segment_gains(vectors), segments)
    assert len(partition) == segments - 1
    best = max(worth(vectors, each) for each in all_partitions(len(vectors), segments))
    assert worth(vectors, partition) == pytest.approx(best, abs=1e-9)


@given(VECTORS, st.floats(0, 3))
def test_penalised_partition_is_as_good_as_brute_force(vectors: np.ndarray, penalty: float) -> None:
    boundaries, gain = penalised_partition(segment_gains(vectors), penalty)
    every = [each for n in range(1, len(vectors) + 1) for each in all_partitions(len(vectors), n)]
    best = max(worth(vectors, each) - penalty * len(each) for each in every)
    assert worth(vectors, boundaries) == pytest.approx(gain, abs=1e-9)
    assert gain - penalty * len(boundaries) == pytest.approx(best, abs=1e-9)


@given(VECTORS, st.integers(2, 5))
def test_a_limit_on_the_length_is_kept(vectors: np.ndarray, longest: int) -> None:
    gains = segment_gains(vectors, longest)
    edges = [0, *penalised_partition(gains, 100.0)[0], len(vectors)]
    assert max(np.diff(edges)) <= longest
    np.testing.assert_allclose(gains, segment_gains(vectors)[:, : longest + 1])


@pytest.mark.parametrize("lengths", [[8, 8, 8], [4, 11, 6, 9, 5], [20, 20]])
def test_the_number_of_clear_topics_is_found(lengths: list[int]) -> None:
    vectors, boundaries = topics(lengths)
    assert number_found(vectors) == boundaries


@pytest.mark.parametrize("size", [30, 60, 200])
def test_sentences_without_order_are_one_segment(size: int) -> None:
    """With no topics at all, the text's own order is one random order among others."""
    vectors = centred(np.random.default_rng(1).normal(size=(size, 64)))
    assert number_found(vectors) == ()


def test_a_text_must_gain_more_than_the_luckiest_null(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clear topics are one segment where a single draw of eight is the text itself, and gains a little more."""
    vectors, boundaries = topics([8, 8, 8])
    weights = np.ones(len(vectors))
    draws = list(_nulls(vectors, weights, np.random.default_rng(0)))
    monkeypatch.setattr("attn_core.segmentation.number._nulls", lambda *_: iter(draws))
    assert number_found(vectors) == boundaries
    draws[-1] = (1.001 * vectors, weights)
    assert number_found(vectors) == ()


def neighbourly(coherence: float, size: int = 300) -> np.ndarray:
    """Of each sentence's vector a share is left over from the one before: coherent from sentence to sentence, no topics."""
    rng = np.random.default_rng(2)
    rows = [rng.normal(size=64)]
    for _ in range(size - 1):
        rows.append(coherence * rows[-1] + rng.normal(size=64))
    return centred(np.array(rows))


@pytest.mark.parametrize("coherence", [0.3, 0.5])
def test_neighbours_that_resemble_each_other_are_no_topics(coherence: float) -> None:
    assert len(number_found(neighbourly(coherence))) <= 2


def similarity_by_lag(vectors: np.ndarray) -> np.ndarray:
    """Mean similarity of sentences 1, 2, ... apart, the text closed to a ring."""
    return np.array([np.mean(np.sum(vectors * np.roll(vectors, lag, axis=0), axis=1)) for lag in range(1, 20)])


@pytest.mark.parametrize("size", [119, 120])
def test_one_null_mixes_the_sentences_and_the_other_drifts_without_breaks(size: int) -> None:
    vectors, _ = topics([size // 3, size // 3, size - 2 * (size // 3)], noise=2.0)
    weights = np.arange(size) / size
    nulls = list(_nulls(vectors, weights, np.random.default_rng(0)))
    assert len({null.tobytes() for null, _ in nulls}) == 2 * DRAWS
    own = similarity_by_lag(vectors)
    broken = penalised_partition(segment_gains(vectors), 2.0)[1]
    for (mixed, moved), (drifting, unmoved) in zip(nulls[::2], nulls[1::2], strict=True):
        order = np.argsort(np.argsort(moved))
        np.testing.assert_array_equal(mixed, vectors[order])
        assert similarity_by_lag(mixed).mean() < own.mean() / 3
        np.testing.assert_array_equal(unmoved, weights)
        np.testing.assert_allclose(np.linalg.norm(drifting, axis=1), 1, rtol=1e-5)
        np.testing.assert_allclose(similarity_by_lag(drifting), own, atol=0.1)
        assert penalised_partition(segment_gains(drifting), 2.0)[1] < broken


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_shortest_texts_have_a_number_too(size: int) -> None:
    assert len(number_found(np.eye(size))) < size


@given(st.sets(st.integers(1, 29), max_size=8), st.sets(st.integers(1, 29), max_size=8))
def test_scores_lie_between_0_and_1_and_gold_is_perfect(gold: set[int], predicted: set[int]) -> None:
    reference, hypothesis = tuple(sorted(gold)), tuple(sorted(predicted))
    scores = score(reference, hypothesis, 30)
    assert all(0 <= value <= 1 for value in (scores.pk, scores.windowdiff, scores.f1))
    assert scores.pk <= scores.windowdiff
    perfect = score(reference, reference, 30)
    assert (perfect.pk, perfect.windowdiff, perfect.f1) == (0, 0, 1)


def test_scores_by_hand() -> None:
    """10 sentences, gold 5, found 6, window round(10 / 2 / 2) = 2: the windows ending at one of the two places differ."""
    scores = score((5,), (6,), 10)
    assert window_size((5,), 10) == 2 and window_size((20, 40), 60) == 10
    assert scores.pk == scores.windowdiff == pytest.approx(2 / 9)
    assert scores.f1 == 0
    assert boundary_f1((3, 5), (5, 8)) == 0.5
    assert score((1,), (), 2).pk == 1


def test_without_a_number_the_gaps_count_that_stand_out_by_a_deviation() -> None:
    assert peaks.high(np.array([0.0, 0.0, 4.0, 0.0])) == (3,)  # 4 is above 1 + the root of 3
    assert peaks.high(np.array([0.0, 1.0, 2.0])) == (3,)  # 1 + 0.8
    assert peaks.high(np.ones(3)) == ()


@given(st.integers(1, 40), st.data())
def test_even_cuts_are_as_many_as_asked(size: int, data: st.DataObject) -> None:
    segments = data.draw(st.integers(1, size))
    boundaries = baselines.even_cuts(size, segments)
    assert len(set(boundaries)) == segments - 1
    assert all(0 < boundary < size for boundary in boundaries)


def test_texttiling_gives_a_depth_for_every_gap() -> None:
    sea = "The tide lifts the boat and the sailor ties the boat to the harbour wall before the tide turns."
    bread = "The baker folds the dough and lets the dough rest while the oven heats the bakery slowly."
    document = read_document("\n".join([sea] * 12 + [bread] * 12))
    depths, boundaries = baselines.texttiling(document, np.arange(1, 24))
    assert len(depths) == 23
    assert any(abs(boundary - 12) <= 1 for boundary in boundaries)
    assert baselines.texttiling(read_document("One. Two."), np.array([1]))[1] == ()


def test_head_vectors_average_the_cosines_of_the_heads() -> None:
    rng = np.random.default_rng(0)
    outputs = rng.normal(size=(2, 2, 5, 3))
    weights = np.array([[0.5, 0.0], [0.25, 0.25]])
    together = head_vectors(outputs, weights)
    assert together.shape == (5, 9)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1)
    raw = np.concatenate([unit(outputs[at]) * np.sqrt(weights[at]) for at in ((0, 0), (1, 0), (1, 1))], axis=1)
    np.testing.assert_allclose(together, centred(raw))


def test_joined_vectors_average_the_similarities() -> None:
    rng = np.random.default_rng(0)
    one, other = centred(rng.normal(size=(6, 4))), centred(rng.normal(size=(6, 9)))
    both = joined(one, other)
    np.testing.assert_allclose(both @ both.T, (one @ one.T + other @ other.T) / 2)
