"""Tokens of a window beside tokens of reference texts, by the definition."""

import numpy as np
import pytest

from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.noise_counts import find_noise
from attn_core.similarity.selection import find_strong_pairs
from attn_core.similarity.strong_pairs import MEASURES, Measure
from attn_core.texts.reference_texts import REFERENCES
from tests.measures.made_up import made_passage


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("with_special", [True, False])
def test_pairs_with_each_text_are_counted_that_are_as_similar_as_the_weakest_strong_pair(
    measure: Measure, with_special: bool
) -> None:
    rng = np.random.default_rng(5)
    z, *others = (rng.normal(size=(2, 3, size, 4)).astype(np.float32) for size in (60, 12, 9))
    passage = made_passage(range(60), special=(0, 59))
    pairs = find_strong_pairs(z, passage, 0.2, measure, with_special)
    choices = [pairs.strongest(0.05), pairs]
    theirs = [as_measured(other, measure) for other in others]
    references = {REFERENCES[at]: {measure: its} for at, its in zip((1, 4), theirs, strict=True)}
    for chosen, noise in zip(choices, find_noise(z, choices, measure, references), strict=True):
        own = as_measured(z, measure)[:, :, pairs.eligible]
        assert (
            noise.looked[:5].tolist() == [0, own.shape[2] * 12, 0, 0, own.shape[2] * 9] and not noise.looked[5:].any()
        )
        bars = chosen.similarity[..., -1, None, None]
        for at, its in zip((1, 4), theirs, strict=True):
            passed = np.einsum("lhid,lhjd->lhij", own, its) >= bars
            np.testing.assert_allclose(noise.reached[at], passed.sum((2, 3)), atol=1)  # by rounding
        assert not np.delete(noise.reached, (1, 4), axis=0).any()


def test_beside_no_text_nothing_is_looked_at() -> None:
    z = np.random.default_rng(0).normal(size=(1, 2, 9, 4)).astype(np.float32)
    (noise,) = find_noise(z, [find_strong_pairs(z, made_passage(range(9)), 0.1)], "dot", {})
    assert not noise.looked.any() and not noise.reached.any()
