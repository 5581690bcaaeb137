"""What the halves of the texts choose, and p over texts."""

import numpy as np
import pytest
from scipy.stats import binom

from attn_core.patterns.pooled import Pooled, _rows, p_over_texts
from attn_core.patterns.scores import OFFSETS
from attn_core.patterns.word_maps import MAPS

TEXTS, PAIRS = 12, 20


@pytest.fixture
def pooled() -> Pooled:
    """Twelve texts in which one direction of attention sees the pairs better, and the other points better."""
    generator = np.random.default_rng(0)
    percentile = generator.normal(0.5, 0.01, (TEXTS, len(MAPS), 2, 3))
    right = generator.normal(0.3, 0.01, percentile.shape)
    percentile[:, MAPS.index("attends"), 1, 2] = 0.9
    percentile[:, MAPS.index("attended"), 0, 1] = 0.7
    right[:, MAPS.index("attended"), 0, 1] = 0.8
    percentile[:, MAPS.index("centred"), 0, 0] = generator.normal(0.8, 0.02, TEXTS)
    many, none = np.full(TEXTS, float(PAIRS)), np.zeros(TEXTS)
    texts = np.arange(TEXTS)
    offsets = np.zeros((TEXTS, len(OFFSETS)))
    return Pooled(texts, many, many, none, none, percentile * PAIRS, right * PAIRS, offsets)


def test_each_number_of_attention_has_the_direction_that_is_better_by_it(pooled: Pooled) -> None:
    rows = {row["map"]: row for row in _rows("made up", pooled)}
    assert list(rows) == [*MAPS, "attention"]
    attention = rows["attention"]
    assert attention["score"] == pytest.approx(0.9) and attention["score_heads"] == "L2H3:attends L2H3:attends"
    assert attention["pointing"] == pytest.approx(0.8) and attention["pointing_heads"] == "L1H2:attended L1H2:attended"
    similar = rows["centred"]
    assert similar["score_heads"] == "L1H1 L1H1"
    assert similar["score_above_attention"] == pytest.approx(similar["score"] - 0.9)
    assert (
        similar["score_above_attention_low"]
        < similar["score_above_attention"]
        < similar["score_above_attention_high"]
        < 0
    )
    assert similar["pointing_above_attention"] == pytest.approx(similar["pointing"] - 0.8)
    assert "score_above_attention" not in rows["attends"]


def test_a_direction_is_chosen_on_the_half_that_chooses(pooled: Pooled) -> None:
    attends = pooled.percentile[:, MAPS.index("attends"), 1, 2]
    attends[~pooled.half] = 0.1 * PAIRS  # sees the pairs in the second half alone
    attention = _rows("made up", pooled)[-1]
    assert attention["score_heads"] == "L2H3:attends L1H2:attended"  # chosen by the second half, by the first
    assert attention["score"] == pytest.approx((0.1 + 0.7) / 2)


def test_p_takes_the_texts_for_the_sample() -> None:
    """Pairs of one text that are alike together are no evidence."""
    generator, trials = np.random.default_rng(1), 400
    pairs = generator.integers(5, 40, 10).astype(float)
    of_text = generator.normal(0.5, 0.1, (10, trials))
    p = p_over_texts(of_text * pairs[:, None], pairs, np.arange(10))
    low, high = binom.interval(0.999, trials, 0.05)
    assert low <= (p < 0.05).sum() <= high
    parts = p_over_texts(
        np.repeat(of_text * pairs[:, None] / 2, 2, axis=0), np.repeat(pairs / 2, 2), np.arange(20) // 2
    )
    assert parts == pytest.approx(p)  # parts of one text are one text
    assert p_over_texts(of_text + 0.3, np.ones(10), np.arange(10)).max() < 0.01
    assert np.isnan(p_over_texts(of_text[:1], pairs[:1], np.array([4]))).all()
