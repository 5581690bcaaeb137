"""Subjects side by side: depth, curves, what is the same of one and the same."""

import numpy as np
import pytest

from attn_core.analysis.one_text import Analysis, analyze
from attn_core.comparison.differences import (
    at_depths,
    curves,
    describe_difference,
    head_differences,
    layer_differences,
    relative_depth,
)
from attn_core.measures.statistics import BY_NAME, STATISTICS
from tests.families import TEXT, Tiny


@pytest.fixture(scope="module")
def bert(tiny_model: Tiny) -> Analysis:
    return analyze(TEXT, tiny_model("bert"))


@pytest.fixture(scope="module")
def gpt2(tiny_model: Tiny) -> Analysis:
    return analyze(TEXT, tiny_model("gpt2"), unit="words")


def test_layers_are_read_at_the_depths_of_the_fewer() -> None:
    assert relative_depth(3).tolist() == [0, 0.5, 1]
    assert relative_depth(1).tolist() == [1]
    np.testing.assert_allclose(at_depths(np.array([[0.0, 10.0, 40.0, 90.0]]), relative_depth(3)), [[0, 25, 90]])
    same = np.array([[0.1, 0.7, 0.3]])
    np.testing.assert_array_equal(at_depths(same, relative_depth(3)), same)  # to the bit
    np.testing.assert_array_equal(at_depths(np.array([[np.nan, 2.0]]), np.array([1.0])), [[2]])


def test_a_subject_against_itself_differs_by_exactly_nothing(bert: Analysis) -> None:
    differences = layer_differences(bert, bert)
    assert set(differences["statistic"]) == {statistic.name for statistic in STATISTICS}
    assert (differences["difference"] == 0).all()
    assert (head_differences(bert, bert, BY_NAME["mean_distance"])["difference"] == 0).all()


def test_differences_are_of_layers_and_of_heads(bert: Analysis, gpt2: Analysis) -> None:
    differences = layer_differences(bert, gpt2).set_index(["statistic", "depth"])
    over = differences["first_over_chance"] * differences["chance_first"]
    np.testing.assert_allclose(over, differences["first"].where(over.notna()))
    assert differences.loc["snr_db", "first_over_chance"].isna().all()  # chance is 0
    last = differences.loc[("near_share", 1.0)]
    assert last["first"] == bert.layers["near_share"].iloc[-1]
    assert last["second"] == gpt2.layers["near_share"].iloc[-1]
    heads = head_differences(bert, gpt2, BY_NAME["near_share"])
    np.testing.assert_array_equal(heads["difference"], bert.statistics["near_share"] - gpt2.statistics["near_share"])


def test_curves_hold_every_statistic_of_every_subject(bert: Analysis, gpt2: Analysis) -> None:
    table = curves({"one": bert, "other": gpt2})
    assert len(table) == 2 * 3 * len(STATISTICS)
    row = table.query("subject == 'other' and statistic == 'snr_db' and layer == 3").iloc[0]
    assert (row["value"], row["chance"], row["depth"]) == (
        gpt2.layers["snr_db"][2], gpt2.layers["chance_snr_db"][2], 1.0,
    )  # fmt: skip


def test_a_sentence_says_what_differs(bert: Analysis, gpt2: Analysis) -> None:
    distance = BY_NAME["mean_distance"]
    first, second = (one.layers["mean_distance"] / one.layers["chance_mean_distance"] for one in (bert, gpt2))
    apart = first - second
    number, most = max((apart > 0).sum(), (apart < 0).sum()), int(apart.abs().idxmax())
    for subjects, above, (one, other) in (
        ({"in one": bert, "in other": gpt2}, apart > 0, (first, second)),
        ({"in one": gpt2, "in other": bert}, apart < 0, (second, first)),
    ):
        assert describe_difference(subjects, distance) == (
            f"Relative to chance, mean distance is {'higher' if above.sum() > 1.5 else 'lower'} in one than in other, "
            f"in {'every layer' if number == 3 else f'{number} of 3 layers'}; they differ most in layer {most + 1}: "
            f"{one[most]:.2f} and {other[most]:.2f} times chance."
        )
    assert describe_difference({"in one": bert, "in other": gpt2}, BY_NAME["snr_db"]).endswith(" dB.")
    assert describe_difference({"in one": bert, "in again": bert}, distance).endswith(
        "is the same in one and in again."
    )
