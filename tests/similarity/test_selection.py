"""The strong pairs against a brute force that sorts every pair of every head."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attn_core.errors import InputError, TextError
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.selection import ROWS, find_strong_pairs
from attn_core.similarity.strong_pairs import MEASURES, Measure, StrongPairs, number_of_strong_pairs
from tests.measures.made_up import draw_whole_outputs, made_passage


def assert_exact(z: torch.Tensor, strong: StrongPairs, share: float, measure: Measure = "dot") -> None:
    """The pairs i < j that may be strong, sorted by similarity, then smaller i, then smaller j; the first of them."""
    able = np.flatnonzero(strong.eligible)
    i, j = (able[end] for end in np.triu_indices(len(able), k=1))
    keep = number_of_strong_pairs(len(i), share)
    assert strong.shape == (*z.shape[:2], keep)
    for layer, heads in enumerate(z):
        own = as_measured(heads, measure)
        # In the blocks in which it is computed: a matrix product may round differently in another shape.
        blocks = [torch.bmm(own[:, at : at + ROWS], own[:, at:].mT) for at in range(0, own.shape[1], ROWS)]
        every = torch.cat([torch.nn.functional.pad(of, (own.shape[1] - of.shape[2], 0)) for of in blocks], dim=1)
        for head, similarity in enumerate(every.numpy()[:, i, j]):
            order = np.lexsort((j, i, -similarity))[:keep]
            found = strong.first[layer, head], strong.second[layer, head], strong.similarity[layer, head]
            for one, expected in zip(found, (i, j, similarity), strict=True):
                np.testing.assert_array_equal(one, expected[order])


@given(data=st.data())
def test_the_selection_and_its_first_part_are_exact_among_many_equal_values(data: st.DataObject) -> None:
    """Whole-numbered outputs of few dimensions make most pairs tie."""
    n = data.draw(st.integers(2, 24))
    z = torch.from_numpy(draw_whole_outputs(data, n) * data.draw(st.sampled_from([1.0, 0.37])))
    share = st.sampled_from([1e-9, 0.01, 0.05, 0.3, 1.0]) | st.floats(0.0001, 1.0)
    smaller, larger = sorted(data.draw(st.tuples(share, share)))
    special = tuple(data.draw(st.sets(st.integers(0, n - 1), max_size=n - 2)))
    with_special = data.draw(st.booleans())
    measure = data.draw(st.sampled_from(MEASURES))
    strong = find_strong_pairs(z, made_passage(range(n), special=special), larger, measure, with_special)
    assert strong.eligible.sum() == (n if with_special else n - len(special))
    assert_exact(z, strong, larger, measure)
    assert_exact(z, strong.strongest(smaller), smaller, measure)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("share", [0.0001, 0.01, 0.2, 1.0])
@pytest.mark.parametrize("levels", [2, 7, None])
def test_the_selection_is_exact_on_long_passages(measure: Measure, share: float, levels: int | None) -> None:
    z = torch.randn(1, 2, 300, 4, generator=torch.manual_seed(3))
    z = z if levels is None else (z * levels).round()
    assert_exact(z, find_strong_pairs(z, made_passage(range(300)), share, measure), share, measure)


@pytest.mark.parametrize("step", [61, 60, 1])
def test_the_selection_is_exact_wherever_the_strong_pairs_are(step: int) -> None:
    """A threshold from a sample must not decide: here every n-th pair of the flat matrix is strong, or none of them."""
    n = 120
    flat = np.random.default_rng(0).normal(size=n * n) * 0.01
    flat[::step] += 5
    wanted = np.triu(flat.reshape(n, n), 1)
    # A Gram matrix with these scalar products: any symmetric matrix has one, given enough on its diagonal.
    gram = wanted + wanted.T + np.eye(n) * (np.abs(wanted + wanted.T).sum(axis=1).max() + 1)
    z = torch.from_numpy(np.linalg.cholesky(gram).astype(np.float32))[None, None]
    for share in (0.001, 0.01, 0.016, 0.017, 0.5):
        assert_exact(z, find_strong_pairs(z, made_passage(range(n)), share), share)


@pytest.mark.parametrize(("n", "special"), [(1, ()), (3, (0, 2)), (2, (0, 1))])
def test_fewer_than_two_tokens_are_refused(n: int, special: tuple[int, ...]) -> None:
    with pytest.raises(TextError, match="needs two tokens"):
        find_strong_pairs(torch.zeros(1, 1, n, 2), made_passage(range(n), special=special), with_special=False)


@pytest.mark.parametrize(
    ("pairs", "share", "kept"),
    [(100, 0.01, 1), (150, 0.01, 2), (149, 0.01, 1), (10, 1e-9, 1), (10, 1.0, 10), (10, 2.0, 10), (1, 0.01, 1)],
)
def test_the_number_of_strong_pairs_is_the_share_rounded_and_at_least_one(pairs: int, share: float, kept: int) -> None:
    assert number_of_strong_pairs(pairs, share) == kept


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_share_the_heads_and_change_nothing(threads: int) -> None:
    z, passage = torch.randn(3, 4, 300, 8, generator=torch.manual_seed(3)), made_passage(range(300))
    before = torch.get_num_threads()
    alone = find_strong_pairs(z, passage)
    torch.set_num_threads(threads)
    try:
        shared = find_strong_pairs(z, passage)
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(shared.places, alone.places)
    np.testing.assert_array_equal(shared.similarity, alone.similarity)


def test_a_larger_share_than_was_chosen_is_refused() -> None:
    few = find_strong_pairs(torch.zeros(1, 1, 20, 2), made_passage(range(20)), share=0.1)
    with pytest.raises(InputError, match="choose a smaller one"):
        few.strongest(0.2)
