"""The dynamic programme against brute force, the number of segments, sentence vectors."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attn_core.segmentation.partition import best_partition, find_number, penalised_partition, segment_gains
from attn_core.segmentation.vectors import centred, head_vectors, joined, unit

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
    assert find_number(vectors, np.ones(len(vectors))) == boundaries


@pytest.mark.parametrize("coherence", [0, 0.3, 0.5])
def test_sentences_that_resemble_their_neighbours_at_most_are_no_topics(coherence: float) -> None:
    rows = np.random.default_rng(2).normal(size=(300, 64))
    for row in range(1, 300):
        rows[row] += coherence * rows[row - 1]
    assert len(find_number(centred(rows), np.ones(300))) <= 2 * (coherence > 0)


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
