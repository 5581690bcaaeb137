"""The scores of all pairs, one pair after the other, standardised by numpy."""

from itertools import combinations

import numpy as np
import pytest

from attn_core.analysis.one_text import Analysis, analyze
from attn_core.head import Head
from attn_core.measures.similarity_scores import NEAR, reach_table
from attn_core.models.files import ModelSpec
from attn_core.similarity import distribution
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.distribution import BINS, count_scores
from attn_core.similarity.strong_pairs import MEASURES, Measure, Settings
from attn_core.similarity.words import Unit
from tests.families import TEXT

CLASS_OF = np.select([np.arange(999) <= last for last in (2, 16, 64)], [0, 1, 2], 3)  # by distance
ROUNDING = 1e-3  # bins


def assert_counted(counts: np.ndarray, similarities: np.ndarray, eligible: np.ndarray) -> None:
    """Every pair of one head is in its bin, or beside it if its score is on the edge. similarities: (N, N)."""
    pairs = np.array(list(combinations(np.flatnonzero(eligible), 2)))
    values = similarities[tuple(pairs.T)].astype(np.float64)
    at = ((values - values.mean()) / values.std() + 4) * 6.4
    for tolerance, holds in ((-ROUNDING, np.less_equal), (ROUNDING, np.greater_equal)):
        expected = np.zeros((4, BINS))
        np.add.at(expected, (CLASS_OF[pairs[:, 1] - pairs[:, 0]], (at + tolerance).clip(0, BINS - 1).astype(int)), 1)
        up_to = counts.cumsum(axis=-1), expected.cumsum(axis=-1)
        assert holds(*up_to).all()  # scores that are moved down are at least as many up to each bin


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("block", [1, distribution.BLOCK])
def test_each_pair_is_in_its_bin_in_blocks_of_any_size(
    measure: Measure, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distribution, "BLOCK", block)
    rng = np.random.default_rng(1)
    z = (rng.normal(size=(2, 3, 300, 5)) + rng.normal(size=(2, 3, 1, 5))).astype(np.float32)
    eligible = rng.random(300) < 0.9
    counts = count_scores(z, eligible, measure)
    assert counts.shape == (2, 3, 4, BINS)
    for at in np.ndindex(2, 3):
        assert_counted(counts[at], context_similarity(z.astype(np.float64), measure)[at], eligible)


@pytest.mark.parametrize("measure", MEASURES)
def test_heads_that_find_all_tokens_alike_reach_as_far_as_chance(measure: Measure) -> None:
    z = np.broadcast_to(np.random.default_rng(0).normal(size=(1, 2, 1, 3)).astype(np.float32), (1, 2, 40, 3)).copy()
    z[0, 1] = 0  # a removed head
    counts = count_scores(z, np.ones(40, dtype=bool), measure)
    assert (np.count_nonzero(counts.sum(axis=2), axis=-1) == 1).all()
    assert (reach_table(counts)["near_over_far"] == 0.5).all()


@pytest.mark.parametrize(
    ("settings", "unit"),
    [(Settings(), "tokens"), (Settings("cosine", 0.1, with_special=False), "tokens"), (Settings("centred"), "words")],
)
def test_tables_of_an_analysis_pool_its_windows(settings: Settings, unit: Unit, tiny: ModelSpec) -> None:
    analysis = analyze(TEXT * 6, tiny, settings, unit=unit)
    assert len(analysis.windows) > 1
    for head in map(Head.of_row, (1, 2), (1, 2)):
        expected = sum(counted_alone(analysis, head, window) for window in range(len(analysis.windows)))
        shares = head.rows_of(analysis.similarities)["share"].to_numpy().reshape(-1, BINS)
        totals = expected.sum(axis=-1, keepdims=True)
        np.testing.assert_allclose(shares, (expected / np.maximum(totals, 1))[totals[:, 0] > 0])
        near, far = (np.repeat(np.arange(BINS), expected[of].sum(axis=0)) for of in (NEAR, ~NEAR))
        over = np.mean([(one > far).mean() + (one == far).mean() / 2 for one in near])
        row = head.rows_of(analysis.reach).iloc[0]
        assert row["near_over_far"] == pytest.approx(over) and row["chance_near_over_far"] == 0.5


def counted_alone(analysis: Analysis, head: Head, window: int) -> np.ndarray:
    """The counts of one head in one window, which are those of its similarities."""
    pairs, measure = analysis.windows[window], analysis.settings.measure
    counts = count_scores(analysis.reading.outputs[pairs.passage.index].z, pairs.eligible, measure)
    assert_counted(counts[head], analysis.similarity(head, pairs.passage.index + 1), pairs.eligible)
    return counts[head]


def test_without_far_pairs_there_is_no_reach(tiny: ModelSpec) -> None:
    analysis = analyze("The tide rose.", tiny)
    assert analysis.reach["near_over_far"].isna().all()
    assert set(analysis.similarities["distance_class"]) == {"1-2", "3-16"}
