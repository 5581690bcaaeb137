"""What the findings say: verdicts on made-up tables, and sentences that hold the numbers they rest on."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from attn_core.findings import verdicts as findings_module
from attn_core.findings.verdicts import MIN_PAIRS, Finding, change_of_distance, findings

CLAIMS = ["C1", "C2", "C3", "C4", "C5", "C6", "C7"]
AS, UNLIKE, NO_SIGN = "as in the paper", "unlike the paper", "no clear sign"


def made(
    layers: dict[str, Any] | None = None,
    heads: dict[str, Any] | None = None,
    pairs: int = 1000,
    unit: str = "tokens",
) -> dict[str, Finding]:
    """The findings for six layers of two heads in which everything is at chance, but for the columns given."""
    layer_columns = {
        "layer": range(1, 7), "mean_distance": 150.0, "chance_mean_distance": 150.0,
        "same_sentence_share": 0.08, "chance_same_sentence_share": 0.08,
        "separator_attention": 0.06, "chance_separator_attention": 0.06, "anchor_uniqueness": 0.5,
        "chance_anchor_uniqueness": 0.5, "head_overlap": 0.01, "chance_head_overlap": 0.01,
        "noise_rate": 0.1, "cosine_noise_rate": 0.03,
    }  # fmt: skip
    head_columns = {
        "layer": [layer for layer in range(1, 7) for _ in range(2)], "head": [1, 2] * 6, "pairs": pairs,
        "role": "mixed", "second_role": "",
        "repetition_share": 0.02, "chance_repetition_share": 0.02, "anchor": "the", "anchor_id": 5,
        "anchor_coverage": 0.2, "chance_anchor_coverage": 0.2,
        "length_share": 0.01, "chance_length_share": 0.01,
    }  # fmt: skip
    tables = SimpleNamespace(
        layers=pd.DataFrame({**layer_columns, **(layers or {})}),
        statistics=pd.DataFrame({**head_columns, **(heads or {})}),
        unit=unit,
    )
    found = findings(tables)
    assert [finding.claim for finding in found] == CLAIMS
    return {finding.claim: finding for finding in found}


def test_data_at_chance_bear_no_claim_out() -> None:
    assert {claim: found.verdict for claim, found in made().items()} == {
        "C1": AS, "C2": NO_SIGN, "C3": UNLIKE, "C4": UNLIKE, "C5": UNLIKE, "C6": NO_SIGN,
        "C7": NO_SIGN,
    }  # fmt: skip


def test_sentences_name_what_pairs_are_of() -> None:
    found = made(unit="words")
    assert "150 words apart" in found["C2"].sentence
    assert "one word twice" in found["C4"].sentence
    assert "Words of another text" in found["C7"].sentence
    assert not any("token" in finding.sentence for finding in found.values())


@pytest.mark.parametrize(
    ("overlap", "verdict"),
    [
        ([0.49, 0.1] * 3, AS),
        ([0.50, 0.1] * 3, NO_SIGN),  # the heads of one layer are alike, those of the others are not
        ([0.9, 0.1] * 3, UNLIKE),
        ([np.nan] * 6, NO_SIGN),  # one head a layer
    ],
)
def test_matrices_are_their_own_where_heads_share_less_than_half_of_their_strong_pairs(
    overlap: list[float], verdict: str
) -> None:
    assert made({"head_overlap": overlap})["C1"].verdict == verdict


def test_own_matrices_tell_the_overlap_beside_chance_and_the_layer_of_the_most_alike() -> None:
    sentence = made({"head_overlap": [0.2, 0.4, 0.2, 0.2, 0.1, 0.1]})["C1"].sentence
    assert "20% of their strong pairs in common on average (chance 1.0%" in sentence
    assert "The heads of layer 2 are most alike: 40%" in sentence


def test_each_claim_has_words_for_the_pages() -> None:
    assert set(CLAIMS) == set(findings_module.CLAIMS)


@pytest.mark.parametrize(
    ("noise", "verdict"),
    [([0.4, 0.0] * 3, AS), ([0.39, 0.0] * 3, NO_SIGN), ([0.02] * 6, UNLIKE), ([0.021, *[0.0] * 5], NO_SIGN)],
)
def test_noise_is_as_in_the_paper_where_unrelated_tokens_pass_a_fifth_as_often(
    noise: list[float], verdict: str
) -> None:
    assert made({"noise_rate": noise})["C7"].verdict == verdict


def test_noise_tells_the_layers_of_most_and_least_and_what_the_cosine_does() -> None:
    noise = [0.5, 0.9, 0.3, 0.1, 0.4, 0.8]
    sentence = made({"noise_rate": noise, "cosine_noise_rate": [0.0, 0.1, 0.2, 0.0, 0.0, 0.0]})["C7"].sentence
    assert "0.50 times as often" in sentence
    assert "0.90 times in layer 2, 0.10 in layer 4" in sentence
    assert "By cosine" in sentence and "0.05 times" in sentence


def test_anchors_tell_how_much_of_them_is_length() -> None:
    sentence = made(heads={"length_share": [0.2, 0.6] * 6})["C5"].sentence
    assert "40% of all strong pairs are simply those of the longest vectors (chance 1.0%)" in sentence


@pytest.mark.parametrize(
    ("last", "verdict"),
    [(105, AS), (127, AS), (128, NO_SIGN), (150, NO_SIGN), (157, NO_SIGN), (158, UNLIKE), (300, UNLIKE)],
)
def test_reach_is_as_in_the_paper_where_it_falls_by_half_of_what_the_paper_reports(last: float, verdict: str) -> None:
    assert made({"mean_distance": [150, 140, 130, 120, 110, last]})["C2"].verdict == verdict


def test_reach_tells_the_distances_their_change_chance_and_a_turn() -> None:
    sentence = made({"mean_distance": [120.0, 110, 60, 80, 100, 90], "chance_mean_distance": 158.0})["C2"].sentence
    assert "120 tokens apart in layer 1 and 90 in layer 6 (-25%" in sentence
    assert "about -30% for BERT, chance is 158" in sentence
    assert "shortest reach is in layer 3, 60 tokens (-50%)" in sentence


def test_a_reach_that_falls_to_the_last_layer_has_no_turn() -> None:
    assert "shortest" not in made({"mean_distance": [120.0, 110, 100, 90, 80, 70]})["C2"].sentence


def test_short_distances_keep_a_decimal() -> None:
    sentence = made({"mean_distance": [1.6, 1.5, 1.5, 1.5, 1.5, 1.4], "chance_mean_distance": 1.7})["C2"].sentence
    assert "1.6 tokens" in sentence and "1.4 in layer 6" in sentence and "chance is 1.7" in sentence


@pytest.mark.parametrize(
    ("shares", "chance", "verdict"),
    [
        ([0.1, 0.1, 0.2, 0.2, 0.3, 0.3], 0.08, AS),
        ([0.1, 0.1, 0.3, 0.3, 0.1, 0.1], 0.08, NO_SIGN),  # the middle layers do, the late ones do not
        ([0.3, 0.3, 0.2, 0.2, 0.1, 0.1], 0.08, UNLIKE),
        ([0.01, 0.01, 0.02, 0.02, 0.05, 0.05], 0.08, UNLIKE),  # rises, but stays below chance
        ([0.9, 0.9, 0.9, 0.9, 0.99, 0.99], 0.98, NO_SIGN),  # a text of one sentence
    ],
)
def test_sentences_count_where_late_layers_exceed_early_ones_and_chance(
    shares: list[float], chance: float, verdict: str
) -> None:
    found = made({"same_sentence_share": shares, "chance_same_sentence_share": chance})["C3"]
    assert found.verdict == verdict


def test_sentences_tell_the_shares_that_the_verdict_rests_on() -> None:
    shares = [0.10, 0.20, 0.40, 0.30, 0.26, 0.28]
    sentence = made({"same_sentence_share": shares, "chance_same_sentence_share": 0.07})["C3"].sentence
    assert "15% of the strong pairs of the first 2 layers" in sentence
    assert "27% in the last 2 layers (chance 7%)" in sentence
    assert "Layer 3 keeps to sentences most: 40%" in sentence


@pytest.mark.parametrize(
    ("roles", "verdict"),
    [
        (["repetition"] * 4 + ["anchor"] * 4 + ["mixed"] * 4, AS),
        (["repetition"] * 4 + ["separators"] * 4 + ["mixed"] * 4, AS),
        (["repetition"] * 3 + ["anchor"] * 3 + ["mixed"] * 6, NO_SIGN),  # no more than half
        (["neighbours"] * 6 + ["sentence"] * 6, NO_SIGN),  # special, but not as the paper says
        (["anchor"] * 12, NO_SIGN),  # all alike
        (["mixed"] * 12, UNLIKE),
    ],
)
def test_roles_are_as_in_the_paper_where_most_heads_have_one_and_both_of_its_kinds_are_there(
    roles: list[str], verdict: str
) -> None:
    assert made(heads={"role": roles})["C4"].verdict == verdict


def test_roles_tell_how_many_heads_have_which_and_who_repeats_most() -> None:
    shares = [0.02] * 7 + [0.88] + [0.02] * 4
    roles = {"role": ["anchor"] * 5 + ["repetition"] * 3 + ["mixed"] * 4, "second_role": ["repetition"] * 5 + [""] * 7}
    sentence = made(heads=roles | {"repetition_share": shares})["C4"].sentence
    assert "8 of 12 heads exceed chance clearly in one respect (5 anchor, 3 repetition)" in sentence
    assert "L4H2 (repetition) repeats most: 88% of its strong pairs are one token twice (chance 2.0%)" in sentence
    anchored = made(heads=roles | {"repetition_share": [0.6] + [0.02] * 11})["C4"].sentence
    assert "L1H1 (anchor, then repetition) repeats most: 60%" in anchored
    assert "0 of 12 heads" in made()["C4"].sentence and "(none)" in made()["C4"].sentence


@pytest.mark.parametrize(
    ("coverage", "uniqueness", "verdict"),
    [
        (0.6, 0.8, AS),
        (0.6, 0.5, NO_SIGN),
        (0.25, 0.8, NO_SIGN),
        (0.25, 0.5, UNLIKE),
        ([0.6] * 6 + [0.2] * 6, 0.8, NO_SIGN),
    ],
)
def test_anchors_count_where_heads_gather_around_them_and_have_their_own(
    coverage: float | list[float], uniqueness: float, verdict: str
) -> None:
    found = made({"anchor_uniqueness": uniqueness}, {"anchor_coverage": coverage})["C5"]
    assert found.verdict == verdict


def test_anchors_tell_how_many_heads_gather_and_who_holds_strongest() -> None:
    heads = {"anchor_coverage": [0.2] * 10 + [0.9, 0.5], "anchor": ["the"] * 11 + ["sea"], "anchor_id": [5] * 11 + [9]}
    sentence = made({"anchor_uniqueness": 0.75}, heads)["C5"].sentence
    assert "2 of 12 heads gather around their anchor" in sentence
    assert (
        "2 different anchors; within a layer 75% are distinct (heads as concentrated around random places: 50%)"
        in sentence
    )
    assert "L6H1 holds strongest: “the” touches 90% of its strong pairs (chance 20%)" in sentence


@pytest.mark.parametrize(("last", "verdict"), [(0.12, AS), (0.11, NO_SIGN), (0.06, NO_SIGN), (0.05, UNLIKE)])
def test_separators_are_as_in_the_paper_where_they_get_twice_their_share_in_the_last_layers(
    last: float, verdict: str
) -> None:
    found = made({"separator_attention": [0.3, 0.06, 0.06, 0.06, 0.06, last]})["C6"]
    assert found.verdict == verdict
    assert f"receive {last:.1%} of the attention in the last layer, {last / 0.06:.1f} times" in found.sentence
    assert "most in layer 1, 5.0 times" in found.sentence


def test_a_text_without_separators_gets_no_verdict_on_them() -> None:
    found = made({"separator_attention": 0.0, "chance_separator_attention": 0.0})["C6"]
    assert found.verdict == NO_SIGN
    assert "no separator" in found.sentence


def strong_signs(pairs: int) -> dict[str, Finding]:
    return made(
        {
            "mean_distance": [150.0, 1, 1, 1, 1, 1],
            "same_sentence_share": [0.1] * 3 + [0.9] * 3,
            "anchor_uniqueness": 1.0,
            "noise_rate": 0.9,
        },
        {"role": ["repetition", "anchor"] * 6, "anchor_coverage": 1.0},
        pairs,
    )


def test_a_short_text_bears_no_verdict_on_pairs_however_strong_the_signs() -> None:
    enough, few = strong_signs(MIN_PAIRS), strong_signs(MIN_PAIRS - 1)
    assert [enough[claim].verdict for claim in CLAIMS if claim != "C6"] == [AS] * 6
    for claim in CLAIMS:
        assert few[claim].verdict == NO_SIGN
        assert few[claim].sentence.endswith(
            f"But this is too little text to tell: {MIN_PAIRS - 1} strong pairs a head."
        )


def test_a_model_of_one_layer_has_findings() -> None:
    one = pd.DataFrame({
        "layer": [1], "mean_distance": 9.0, "chance_mean_distance": 9.0, "same_sentence_share": 0.5, "anchor_uniqueness": 1.0,
        "chance_anchor_uniqueness": 1.0, "head_overlap": 0.1, "chance_head_overlap": 0.01,
        "chance_same_sentence_share": 0.5, "separator_attention": 0.1, "chance_separator_attention": 0.1,
    })  # fmt: skip
    assert change_of_distance(one) == 0
    assert made({name: list(values) * 6 for name, values in one.drop(columns="layer").items()})["C2"].verdict == NO_SIGN


def test_each_finding_leads_to_a_page() -> None:
    pages = ["Heads", "Distances", "Distances", "Specialization", "Anchor tokens", "Segmentation", "Specialization"]
    assert [found.page for found in made().values()] == pages
