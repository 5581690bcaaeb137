"""What the findings say: verdicts on made-up tables, and sentences that hold the numbers they rest on."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from attn_core.findings import verdicts as findings_module
from attn_core.findings.bars import BARS
from attn_core.findings.verdicts import MIN_PAIRS, Finding, change_of_distance, findings
from attn_core.measures.effects import COLUMNS

CLAIMS = ["C1", "C2", "C3", "C4", "C5", "C6", "C7"]
AS, UNLIKE, NO_SIGN, NOT_ASKED = "as in the paper", "unlike the paper", "no clear sign", "not asked"
AT_CHANCE = {
    "own_pairs": 0.99, "reach": 0.0, "sentences": 1.0, "repeating": 0.0, "gathering": 0.0, "anchored": 0.4, "distinct": 0.0,
    "separators": 1.0, "noise": 0.1,
}  # fmt: skip
Interval = tuple[float, float, float]  # value, low, high


def made(
    layers: dict[str, Any] | None = None,
    heads: dict[str, Any] | None = None,
    pairs: int = 1000,
    unit: str = "tokens",
    effects: dict[str, Interval] | None = None,
    twin: Any = None,
) -> dict[str, Finding]:
    """The findings for six layers of two heads in which everything is at chance, but for what is given."""
    told = findings(tables(layers, heads, pairs, unit, effects), twin)
    assert [finding.claim for finding in told] == CLAIMS
    return {finding.claim: finding for finding in told}


def tables(
    layers: dict[str, Any] | None = None,
    heads: dict[str, Any] | None = None,
    pairs: int = 1000,
    unit: str = "tokens",
    effects: dict[str, Interval] | None = None,
) -> Any:
    """What findings are told from. Every effect is sharp and at chance but for those given."""
    layer_columns = {
        "layer": range(1, 7), "mean_distance": 150.0, "chance_mean_distance": 150.0,
        "same_sentence_share": 0.08, "chance_same_sentence_share": 0.08,
        "separator_attention": 0.06, "chance_separator_attention": 0.06, "anchor_uniqueness": 0.5,
        "chance_anchor_uniqueness": 0.5, "head_overlap": 0.01, "chance_head_overlap": 0.01,
        "noise_rate": 0.1, "cosine_noise_rate": 0.03,
        **{f"{kind}{name}_heads": 0.5 for name in ("repeating", "gathering", "anchored") for kind in ("", "chance_")},
    }  # fmt: skip
    head_columns = {
        "layer": [layer for layer in range(1, 7) for _ in range(2)], "head": [1, 2] * 6, "pairs": pairs,
        "role": "mixed", "second_role": "",
        "repetition_share": 0.02, "chance_repetition_share": 0.02, "anchor": "the", "anchor_id": 5,
        "anchor_coverage": 0.2, "chance_anchor_coverage": 0.2,
        "length_share": 0.01, "chance_length_share": 0.01,
    }  # fmt: skip
    numbers = {name: (value, value - 0.001, value + 0.001) for name, value in AT_CHANCE.items()} | (effects or {})
    rows = [(name, *interval, AT_CHANCE[name], 8, "parts of the text") for name, interval in numbers.items()]
    return SimpleNamespace(
        layers=pd.DataFrame({**layer_columns, **(layers or {})}),
        statistics=pd.DataFrame({**head_columns, **(heads or {})}),
        effects=pd.DataFrame(rows, columns=COLUMNS),
        unit=unit,
    )


def test_data_at_chance_bear_no_claim_out_but_the_one_that_structure_brings_about() -> None:
    assert {claim: finding.verdict for claim, finding in made().items()} == {
        "C1": AS, "C2": NO_SIGN, "C3": NO_SIGN, "C4": NO_SIGN, "C5": NO_SIGN, "C6": NO_SIGN, "C7": NO_SIGN,
    }  # fmt: skip
    assert "Structure alone" in made()["C1"].sentence


@pytest.mark.parametrize(
    "bars", [bars for bars in BARS if bars.claim not in ("C4", "C5")], ids=lambda bars: bars.effect
)
def test_a_verdict_is_given_only_where_the_whole_interval_is_beyond_its_bar(bars) -> None:
    step = 0.01 if bars.paper > bars.against else -0.01
    for bar, verdict, out in ((bars.paper, AS, step), (bars.against, UNLIKE, -step)):
        inside, beyond = bar - 2 * out, bar + 3 * out
        low, high = sorted((bar + out, bar + 5 * out))
        assert made(effects={bars.effect: (beyond, low, high)})[bars.claim].verdict == verdict
        low, high = sorted((bar - out, bar + 5 * out))
        crossing = made(effects={bars.effect: (beyond, low, high)})[bars.claim]
        assert crossing.verdict == NO_SIGN and "too little" in crossing.reason
        assert crossing.sentence.endswith(crossing.reason)
        low, high = sorted((bar - out, bar - 3 * out))
        small = made(effects={bars.effect: (inside, low, high)})[bars.claim]
        assert small.verdict == NO_SIGN and "small" in small.reason


@pytest.mark.parametrize(
    ("first", "second", "roles", "anchors"),
    [
        ("paper", "paper", AS, AS),
        ("paper", "between", NO_SIGN, NO_SIGN),
        ("paper", "against", UNLIKE, NO_SIGN),
        ("against", "against", UNLIKE, UNLIKE),
        ("between", "between", NO_SIGN, NO_SIGN),
    ],
)
def test_claims_of_two_effects_need_both(first: str, second: str, roles: str, anchors: str) -> None:
    for claim, expected in (("C4", roles), ("C5", anchors)):
        effects = {}
        for bars, side in zip([bars for bars in BARS if bars.claim == claim], (first, second), strict=True):
            middle = (bars.paper + bars.against) / 2
            value = {"paper": bars.paper + 0.02, "against": bars.against - 0.02, "between": middle}[side]
            effects[bars.effect] = (value, value - 0.01, value + 0.01)
        assert made(effects=effects)[claim].verdict == expected


def test_without_an_interval_there_is_no_verdict() -> None:
    nothing = {"reach": (-0.5, np.nan, np.nan)}
    finding = made(effects=nothing)["C2"]
    assert finding.verdict == NO_SIGN and "too few" in finding.reason


def test_the_rule_has_the_numbers_put_in() -> None:
    finding = made(effects={"reach": (-0.24, -0.31, -0.16)})["C2"]
    assert finding.verdict == AS
    assert finding.deciding == "-24 % [-31, -16]"
    (rule,) = finding.rule
    assert "below -15 % as in the paper, above +5 % unlike it" in rule
    assert "Here -24 % [-31, -16], 95 % interval over 8 parts of the text; by chance 0 %." in rule


def test_the_twin_stands_beside_where_it_is_known() -> None:
    twin = tables(effects={"own_pairs": (0.98, 0.97, 0.99)})
    assert made(twin=twin)["C1"].sentence.endswith("The untrained twin has 98 % [97, 99].")
    assert "twin" not in made()["C1"].sentence


def test_noise_above_one_is_no_rate_between_never_and_no_difference() -> None:
    sentence = made(effects={"noise": (18.63, 12.0, 25.0)})["C7"].sentence
    assert "18.63 [12.00, 25.00] times" in sentence and "above 1: more often" in sentence
    assert "makes no difference" not in sentence
    for claim in ("C1", "C4", "C5", "C7"):
        assert "tructure alone can bring this about" in made()[claim].sentence


def test_sentences_name_what_pairs_are_of() -> None:
    told = made(unit="words")
    assert "150 words apart" in told["C2"].sentence
    assert "one word twice" in told["C4"].sentence
    assert "Words of other texts" in told["C7"].sentence
    assert not any("token" in finding.sentence for finding in told.values())


def test_own_matrices_tell_the_overlap_beside_chance_and_the_layer_of_the_most_alike() -> None:
    sentence = made({"head_overlap": [0.2, 0.4, 0.2, 0.2, 0.1, 0.1]})["C1"].sentence
    assert "20% of their strong pairs in common on average (chance 1.0%" in sentence
    assert "The heads of layer 2 are most alike: 40%" in sentence


def test_each_claim_has_words_for_the_pages() -> None:
    assert set(CLAIMS) == set(findings_module.CLAIMS)


def test_anchors_tell_how_much_of_them_is_length() -> None:
    sentence = made(heads={"length_share": [0.2, 0.6] * 6})["C5"].sentence
    assert "40% of all strong pairs are simply those of the longest vectors (chance 1.0%)" in sentence


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


def test_sentences_tell_the_shares_that_the_verdict_rests_on() -> None:
    shares = [0.10, 0.20, 0.40, 0.30, 0.26, 0.28]
    sentence = made({"same_sentence_share": shares, "chance_same_sentence_share": 0.07})["C3"].sentence
    assert "15.0% of the strong pairs of the first 2 layers" in sentence
    assert "27.0% in the last 2 layers (chance 7.0%)" in sentence
    assert "Layer 3 keeps to sentences most: 40.0%" in sentence


def test_roles_tell_how_many_heads_have_which_and_who_repeats_most() -> None:
    shares = [0.02] * 7 + [0.88] + [0.02] * 4
    roles = {"role": ["anchor"] * 5 + ["repetition"] * 3 + ["mixed"] * 4, "second_role": ["repetition"] * 5 + [""] * 7}
    sentence = made(heads=roles | {"repetition_share": shares})["C4"].sentence
    assert "8 of 12 heads have a role (5 anchor, 3 repetition)" in sentence
    assert "50% (heads without structure: 50%) of the heads stand out in repetition" in sentence
    assert "L4H2 (repetition) repeats most: 88% of its strong pairs are one token twice (chance 2.0%)" in sentence
    anchored = made(heads=roles | {"repetition_share": [0.6] + [0.02] * 11})["C4"].sentence
    assert "L1H1 (anchor, then repetition) repeats most: 60%" in anchored
    assert "0 of 12 heads" in made()["C4"].sentence and "(none)" in made()["C4"].sentence


def test_anchors_tell_how_many_heads_gather_and_who_holds_strongest() -> None:
    heads = {"anchor_coverage": [0.2] * 10 + [0.9, 0.5], "anchor": ["the"] * 11 + ["sea"], "anchor_id": [5] * 11 + [9]}
    layers = {"anchor_uniqueness": 0.75, "anchored_heads": 0.25, "chance_anchored_heads": 0.125}
    sentence = made(layers, heads)["C5"].sentence
    assert "25% (heads without structure: 12%) of the heads gather around their anchor" in sentence
    assert (
        "2 different anchors; within a layer 75% are distinct (heads as concentrated around random places: 50%)"
        in sentence
    )
    assert "L6H1 holds strongest: “the” touches 90% of its strong pairs (chance 20%)" in sentence


def test_noise_tells_the_layers_of_most_and_least_and_what_the_cosine_does() -> None:
    noise = [0.5, 0.9, 0.3, 0.1, 0.4, 0.8]
    layers = {"noise_rate": noise, "cosine_noise_rate": [0.0, 0.1, 0.2, 0.0, 0.0, 0.0]}
    sentence = made(layers, effects={"noise": (0.5, 0.4, 0.6)})["C7"].sentence
    assert "0.50 [0.40, 0.60] times as often" in sentence
    assert "0.90 times in layer 2, 0.10 in layer 4" in sentence
    assert "By cosine" in sentence and "0.05 times" in sentence


def test_separators_tell_their_attention_and_where_it_is_most() -> None:
    sentence = made({"separator_attention": [0.3, 0.06, 0.06, 0.06, 0.06, 0.11]})["C6"].sentence
    assert "receive 11.0% of the attention in the last layer, 1.83 times" in sentence
    assert "most in layer 1, 5.00 times" in sentence


@pytest.mark.parametrize(
    ("claim", "layers", "why"),
    [
        ("C6", {"separator_attention": 0.0, "chance_separator_attention": 0.0}, "no separator"),
        ("C1", {"layer": range(1, 13)}, "one head only"),
        ("C5", {"layer": range(1, 13)}, "one head only"),
        ("C3", {"chance_same_sentence_share": 0.98}, "one sentence"),
        ("C3", {"chance_same_sentence_share": 0.0}, "No sentence has two tokens"),
    ],
)
def test_what_a_model_or_a_text_has_no_answer_to_is_not_asked(claim: str, layers: dict[str, Any], why: str) -> None:
    finding = made(layers)[claim]
    assert finding.verdict == NOT_ASKED
    assert why in finding.sentence and finding.reason == finding.sentence and not finding.effects


@pytest.mark.parametrize("claim", ["C2", "C3"])
def test_one_layer_has_no_first_and_last(claim: str) -> None:
    whole = tables()
    whole.layers = whole.layers.head(1)
    told = {finding.claim: finding for finding in findings(whole)}
    assert told[claim].verdict == NOT_ASKED and "one layer" in told[claim].sentence
    assert change_of_distance(whole.layers) == 0


def test_a_short_text_bears_no_verdict_on_pairs_however_strong_the_signs() -> None:
    strong = {bars.effect: (bars.paper, bars.paper, bars.paper) for bars in BARS}
    step = {bars.effect: 0.02 if bars.paper > bars.against else -0.02 for bars in BARS}
    strong = {name: (value + step[name],) * 3 for name, (value, *_) in strong.items()}
    enough, few = made(pairs=MIN_PAIRS, effects=strong), made(pairs=MIN_PAIRS - 1, effects=strong)
    assert [enough[claim].verdict for claim in CLAIMS] == [AS] * 7
    for claim in CLAIMS:
        assert few[claim].verdict == (AS if claim == "C6" else NO_SIGN)  # attention knows no pairs
        if claim != "C6":
            assert few[claim].sentence.endswith(
                f"This is too little text to tell: {MIN_PAIRS - 1} strong pairs a head."
            )
