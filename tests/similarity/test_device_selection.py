"""What selects on a GPU, run on tensors of the CPU: it gives what the CPU selects."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attn_core.similarity import device_selection
from attn_core.similarity.context_similarity import as_measured, context_similarity
from attn_core.similarity.device_selection import count_similar, select
from attn_core.similarity.noise_counts import find_noise
from attn_core.similarity.selection import find_strong_pairs
from attn_core.similarity.strong_pairs import MEASURES, StrongPairs
from attn_core.texts.passages import Passage
from attn_core.texts.reference_texts import REFERENCES
from tests.measures.made_up import draw_whole_outputs, made_passage


def selected(z: torch.Tensor, passage: Passage, share: float, measure: str, specials: tuple[bool, ...]):
    """The strong pairs by the CPU's path, and by that of a GPU, with and without special tokens."""
    own = [find_strong_pairs(z, passage, share, measure, with_special) for with_special in specials]
    empty = [np.full(pairs.shape, -1) for pairs in own]
    others = [
        StrongPairs(passage, pairs.eligible, none, none.copy(), none.astype(np.float32))
        for pairs, none in zip(own, empty, strict=True)
    ]
    select(z, measure, others)
    return zip(own, others, strict=True)


@given(data=st.data())
def test_among_many_equal_values_the_same_pairs_in_the_same_order(data: st.DataObject) -> None:
    """Scalar products of whole numbers are exact, so that equal ones tie, 0 and -0 as well."""
    n = data.draw(st.integers(4, 24))
    z = torch.from_numpy(draw_whole_outputs(data, n)) * data.draw(st.sampled_from([1.0, -1.0]))
    special = tuple(data.draw(st.sets(st.integers(0, n - 1), max_size=n - 2)))
    share = data.draw(st.sampled_from([1e-9, 0.05, 0.3, 1.0]))
    for own, other in selected(z, made_passage(range(n), special=special), share, "dot", (True, False)):
        np.testing.assert_array_equal(other.places, own.places)
        np.testing.assert_array_equal(other.similarity, own.similarity)


@pytest.mark.parametrize("measure", MEASURES)
def test_only_pairs_at_the_threshold_may_differ_in_blocks_of_any_size(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_selection, "matrices_at_once", lambda *_: 4)
    z = torch.randn(2, 3, 300, 16, generator=torch.manual_seed(1))
    for own, other in selected(z, made_passage(range(300), special=(0, 299)), 0.02, measure, (True, False)):
        for at in np.ndindex(2, 3):
            similarity = context_similarity(z.double(), measure)[at].numpy().ravel()
            threshold = own.similarity[(*at, -1)]
            differing = np.setxor1d(own.places[at], other.places[at])
            assert np.abs(similarity[differing] / threshold - 1).max(initial=0) < 1e-6
            assert (np.diff(other.similarity[at]) <= 0).all()
            np.testing.assert_allclose(other.similarity[at], similarity[other.places[at]], rtol=1e-5)


@pytest.mark.parametrize("measure", MEASURES)
def test_noise_is_counted_as_on_the_cpu(measure: str) -> None:
    z, *texts = (torch.from_numpy(np.random.default_rng(5).normal(size=(2, 3, n, 4)).astype("f4")) for n in (60, 12, 9))
    passage = made_passage(range(60), special=(0, 59))
    choices = [find_strong_pairs(z, passage, share, measure, special) for share in (0.05, 0.2) for special in (0, 1)]
    foreign = [as_measured(text, measure) for text in texts]
    references = {REFERENCES[at]: {measure: text} for at, text in zip((1, 4), foreign, strict=True)}
    weakest = np.stack([pairs.similarity[..., -1] for pairs in choices])
    reached = count_similar(as_measured(z, measure), foreign, weakest, [pairs.eligible for pairs in choices])
    for noise, of_choice in zip(find_noise(z, choices, measure, references), reached, strict=True):
        np.testing.assert_allclose(of_choice, noise.reached[[1, 4]], atol=1)  # by rounding
        assert of_choice.any()
