"""The pairs that stand for a claim: those of the layer and the head that the claim speaks of."""

import pandas as pd
import pytest

from attn_core.findings.examples import NUMBER, examples_of_claim
from attn_core.measures.roles import ROLES

LAYERS, HEADS = 12, 2
KINDS = ["separator", "same sentence", "repetition", "other sentence"]


@pytest.fixture
def examples() -> pd.DataFrame:
    """Four pairs a head, one of each kind, from strong to weak; a pair is the farther apart the weaker it is."""
    rows = [
        {
            "layer": layer, "head": head, "tenth": tenth, "kind": kind, "distance": 10 * layer + tenth,
            "first_token": "the" if kind == "other sentence" else "sea", "second_token": "ship",
        }
        for layer in range(1, LAYERS + 1) for head in range(1, HEADS + 1) for tenth, kind in enumerate(KINDS)
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture
def heads() -> pd.DataFrame:
    rows = [{"layer": layer, "head": head} for layer in range(1, LAYERS + 1) for head in range(1, HEADS + 1)]
    nothing = {
        **{f"{chance}{role.statistic}": 0.0 for role in ROLES for chance in ("", "chance_")},
        "separator_attention": 0.0, "chance_other_repetition_share": 0.02, "anchor_coverage": 0.1,
        "chance_anchor_coverage": 0.1, "noise_rate": 0.0, "anchor": "the", "anchor_is_separator": False,
        "pairs": 1000, "windows": 1,
    }  # fmt: skip
    return pd.DataFrame(rows).assign(**nothing)


@pytest.fixture
def layers() -> pd.DataFrame:
    return pd.DataFrame({"layer": range(1, LAYERS + 1), "head_overlap": 0.5, "mean_distance": 100.0})


def most(table: pd.DataFrame, column: str, where: dict[tuple[int, int], float]) -> pd.DataFrame:
    """The heads with a statistic raised at some of them."""
    for (layer, head), value in where.items():
        table.loc[(table["layer"] == layer) & (table["head"] == head), column] = value
    return table


@pytest.mark.parametrize(
    ("claim", "column", "first_late"), [("C3", "same_sentence_share", 9), ("C6", "separator_attention", 10)]
)
def test_a_claim_on_late_layers_is_shown_by_the_best_head_of_its_last_layers_alone(
    claim: str, column: str, first_late: int, examples: pd.DataFrame, heads: pd.DataFrame, layers: pd.DataFrame
) -> None:
    rising = most(heads, column, {(first_late - 1, 1): 0.9, (first_late, 2): 0.5, (LAYERS, 1): 0.4})
    shown = examples_of_claim(claim, examples, rising, layers)
    assert set(zip(shown["layer"], shown["head"], strict=True)) == {(first_late, 2)}
    assert shown["kind"].iloc[0] == {"C3": "same sentence", "C6": "separator"}[claim]


def test_own_matrices_are_shown_by_several_heads_of_the_layer_least_alike(examples, heads, layers) -> None:
    layers.loc[4, "head_overlap"] = 0.1
    shown = examples_of_claim("C1", examples, heads, layers)
    assert set(shown["layer"]) == {5} and shown["head"].tolist() == [1, 2] and set(shown["tenth"]) == {0}


def test_reach_is_shown_by_a_far_pair_of_the_first_layer_and_near_ones_of_the_shortest(examples, heads, layers) -> None:
    layers.loc[6, "mean_distance"] = 50
    shown = examples_of_claim("C2", examples, heads, layers)
    assert shown["layer"].tolist() == [1, 7, 7]
    assert shown["distance"].tolist() == [13, 71, 71]  # drawn ones: the strongest are of no tenth


def test_roles_are_shown_by_repetitions_and_by_the_anchor(examples, heads, layers) -> None:
    heads = most(heads, "anchor_coverage", {(8, 2): 0.9})
    assert set(examples_of_claim("C4", examples, heads, layers)["layer"]) == {8}, "no head repeats"
    heads = most(heads, "other_repetition_share", {(3, 1): 0.9})
    shown = examples_of_claim("C4", examples, heads, layers)
    assert list(zip(shown["layer"], shown["head"], strict=True)) == [(3, 1), (3, 1), (8, 2)]
    assert shown["kind"].iloc[0] == "repetition" and shown["first_token"].iloc[-1] == "the"


def test_an_anchor_is_the_more_the_further_it_is_above_its_own_chance(examples, heads, layers) -> None:
    heads = most(heads, "anchor_coverage", {(8, 2): 0.9, (9, 1): 0.7})
    heads = most(heads, "chance_anchor_coverage", {(8, 2): 0.8})
    shown = examples_of_claim("C5", examples, heads, layers)
    assert set(shown["layer"]) == {9} and shown["first_token"].iloc[0] == "the"


def test_noise_is_shown_by_the_weakest_pairs_of_the_noisiest_head(examples, heads, layers) -> None:
    shown = examples_of_claim("C7", examples, most(heads, "noise_rate", {(2, 2): 3.0}), layers)
    assert set(shown["layer"]) == {2} and shown["tenth"].tolist() == [3, 2, 1]
    assert len(shown) == NUMBER
