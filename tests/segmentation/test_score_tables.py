"""The scores summed up: each number from rows that are written out."""

import pandas as pd
import pytest

from attn_core.segmentation.scores import render, summarise


def scored(segments: list[int], gold: list[int]) -> pd.DataFrame:
    """Rows of one method that was not given the number."""
    return pd.DataFrame(
        {
            "collection": "texts", "text": "one", "method": "even_cuts", "number_given": False, "boundaries_at": "sentences",
            "segments": segments,
            "gold_segments": gold, "pk": 0.25, "windowdiff": 0.5, "f1": 0.75, "seconds": 2.0,
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("segments", "gold", "within"),
    [(10, 10, 1), (20, 10, 1), (21, 10, 0), (30, 10, 0), (5, 10, 1), (4, 10, 0), (50, 150, 0)],
)
def test_within_two_is_at_most_twice_and_at_least_half(segments: int, gold: int, within: int) -> None:
    assert summarise(scored([segments], [gold]))["within_two"].item() == within


def test_a_row_holds_the_means_over_texts_and_their_error() -> None:
    results = scored([8, 13, 40, 10], [10, 10, 10, 10]).assign(pk=[0.1, 0.1, 0.3, 0.3])
    row = summarise(results).iloc[0]
    assert row["texts"] == 4 and row["number_error"] == (2 + 3 + 30) / 4 and row["within_two"] == 0.75
    assert row["pk"] == pytest.approx(0.2) and row["seconds"] == 2
    half = 3.1824 * 0.2 / 3**0.5 / 2  # t of three degrees of freedom at 97.5 %, times the standard error
    assert (row["pk_low"], row["pk_high"]) == pytest.approx((0.2 - half, 0.2 + half), rel=1e-3)
    assert "| even_cuts | found | 0.200 [0.016, 0.384] |" in render(results)
    assert "| 8.8 | 75% | 2.0 |" in render(results)


def test_too_few_texts_have_a_mean_without_an_interval() -> None:
    told = render(scored([10, 10, 10], [10, 10, 10]))
    assert "| even_cuts | found | 0.250 | 0.500 | 0.750 | 0.0 | 100% | 2.0 |" in told and "nan" not in told
