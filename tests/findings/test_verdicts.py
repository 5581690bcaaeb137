"""What the findings say: verdicts on made-up tables, and sentences that hold the numbers they rest on."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from attn_core.findings import verdicts as findings_module
from attn_core.findings.bars import BARS, Bars
from attn_core.findings.sentences import change_of_distance
from attn_core.findings.verdicts import OF_ATTENTION, Finding, findings
from attn_core.measures.effects import COLUMNS, FROM_ALIKE
from attn_core.measures.roles import ROLES
from attn_core.measures.tally import MIN_PAIRS

ROWS = [bars.effect for bars in BARS]
AS, UNLIKE, NO_SIGN, NOT_ASKED = "as in the paper", "unlike the paper", "no clear sign", "not asked"
ANY = "as in any network"
AT_CHANCE = {
    "own_pairs": 0.99, "later_reach": 0.0, "reach": 0.0, "late_sentences": 1.0, "sentences": 1.0, "repeating": 0.0,
    "gathering": 0.0, "anchored": 0.5, "distinct": 0.0, "separators": 1.0, "separator_trend": 1.0, "noise": 0.1,
}  # fmt: skip
Interval = tuple[float, float, float]  # value, low, high


def made(
    layers: dict[str, Any] | None = None,
    heads: dict[str, Any] | None = None,
    pairs: int = 1000,
    unit: str = "tokens",
    effects: dict[str, Interval] | None = None,
    nulls: Any = None,
    left_out: float = 0.0,
) -> dict[str, Finding]:
    """The findings for six layers of two heads in which everything is at chance, but for what is given."""
    told = findings(tables(layers, heads, pairs, unit, effects, left_out=left_out), nulls)
    assert [finding.row for finding in told] == ROWS
    return {finding.row: finding for finding in told}


def tables(
    layers: dict[str, Any] | None = None,
    heads: dict[str, Any] | None = None,
    pairs: int = 1000,
    unit: str = "tokens",
    effects: dict[str, Interval] | None = None,
    model: str = "some/model",
    left_out: float = 0.0,
) -> Any:
    """What findings are told from. Every effect is sharp and at chance but for those given."""
    layer_columns = {
        "layer": range(1, 7), "mean_distance": 150.0, "chance_mean_distance": 150.0,
        "same_sentence_share": 0.08, "chance_same_sentence_share": 0.08,
        "separator_attention": 0.06, "chance_separator_attention": 0.06, "anchor_uniqueness": 0.5,
        "chance_anchor_uniqueness": 0.5, "head_overlap": 0.01, "chance_head_overlap": 0.01,
        "noise_rate": 0.1,
        **{f"{kind}{name}_heads": 0.5 for name in ("repeating", "gathering", "anchored") for kind in ("", "chance_")},
    }  # fmt: skip
    head_columns = {
        "layer": [layer for layer in range(1, 7) for _ in range(2)], "head": [1, 2] * 6, "pairs": pairs,
        "role": "mixed", "second_role": "",
        **{f"{chance}{role.statistic}": 0.02 for role in ROLES for chance in ("", "chance_")},
        "repeated_tokens": "sea ship", "anchor_is_separator": False, "anchor": "the", "anchor_id": 5,
        "anchor_coverage": 0.2, "chance_anchor_coverage": 0.2,
        "length_share": 0.01, "chance_length_share": 0.01,
    }  # fmt: skip
    numbers = {name: (value, value - 0.001, value + 0.001) for name, value in AT_CHANCE.items()} | (effects or {})
    parts = [(name, *interval, AT_CHANCE[name], 8, "parts of the text") for name, interval in numbers.items()]
    rows = [(*row, left_out if row[0] in FROM_ALIKE else 0.0) for row in parts]
    return SimpleNamespace(
        layers=pd.DataFrame({**layer_columns, **(layers or {})}),
        statistics=pd.DataFrame({**head_columns, **(heads or {})}),
        effects=pd.DataFrame(rows, columns=COLUMNS),
        unit=unit,
        provenance={"model": model},
    )


def test_data_at_chance_bear_no_row_out() -> None:
    verdicts = {row: finding.verdict for row, finding in made().items()}
    assert verdicts == dict.fromkeys(ROWS, NO_SIGN) | {"own_pairs": ANY}
    assert "Structure alone" in made()["own_pairs"].sentence


@pytest.mark.parametrize("bars", BARS, ids=lambda bars: bars.effect)
def test_windows_with_few_pairs_are_left_out_of_some_rows_and_told(bars: Bars) -> None:
    beyond = bars.paper + bars.direction * bars.margin / 2
    interval = {bars.effect: (beyond, beyond - 0.001, beyond + 0.001)}
    two, none = (made(effects=interval, left_out=left_out)[bars.effect] for left_out in (2.0, np.nan))
    told = bars.effect in FROM_ALIKE
    assert ("2 windows are left out" in two.sentence) == told
    assert (none.label == "no clear sign: too little text") == told
    assert two.verdict == made(effects=interval)[bars.effect].verdict


@pytest.mark.parametrize("bars", BARS, ids=lambda bars: bars.effect)
def test_a_verdict_is_given_only_where_the_whole_interval_is_beyond_its_bar(bars) -> None:
    step = 0.01 * bars.direction
    for bar, verdict, out in ((bars.paper, AS, step), (bars.against, UNLIKE, -step)):
        inside, beyond = bar - 2 * out, bar + 3 * out
        low, high = sorted((bar + out, bar + 5 * out))
        expected = ANY if verdict == AS and bars.claim in ("C1", "C7") else verdict
        assert made(effects={bars.effect: (beyond, low, high)})[bars.effect].verdict == expected
        low, high = sorted((bar - out, bar + 5 * out))
        crossing = made(effects={bars.effect: (beyond, low, high)})[bars.effect]
        assert crossing.verdict == NO_SIGN and "too little" in crossing.reason
        assert crossing.sentence.endswith(crossing.reason)
        low, high = sorted((bar - out, bar - 3 * out))
        small = made(effects={bars.effect: (inside, low, high)})[bars.effect]
        assert small.verdict == NO_SIGN and small.unclear == "small"


def test_without_an_interval_there_is_no_verdict() -> None:
    finding = made(effects={"reach": (-0.5, np.nan, np.nan)})["reach"]
    assert finding.label == "no clear sign: too little text" and "for an interval" in finding.reason


def test_the_rule_has_the_numbers_put_in() -> None:
    finding = made(effects={"reach": (-0.24, -0.31, -0.16)})["reach"]
    assert finding.verdict == AS
    assert finding.number == "-24% [-31, -16]"
    assert finding.effect is not None
    assert "below -15% as in the paper, above +20% unlike it" in finding.effect.rule
    assert "Here -24% [-31, -16], 95% interval over 8 parts of the text; by chance 0%." in finding.effect.rule


def test_networks_that_never_learned_stand_beside_where_they_are_known_and_take_a_verdict_back() -> None:
    trend, far = {"sentences": (1.4, 1.3, 1.5)}, tables(effects={"sentences": (1.35, 1.3, 1.4)})
    alone = made(effects=trend)["sentences"]
    assert alone.verdict == AS and "twin" not in alone.sentence
    beside = made(effects=trend, nulls={"untrained twin": tables(), "permuted twin": far})["sentences"]
    assert beside.verdict == ANY
    assert "The untrained twin has 1.00 [1.00, 1.00]. The permuted twin has 1.35 [1.30, 1.40]." in beside.sentence
    assert beside.sentence.endswith(
        "Its bar is passed by the permuted twin (1.35 [1.30, 1.40]) too: alone this shows no learning."
    )


@pytest.mark.parametrize("twin", ["untrained", "permuted"])
def test_what_a_twin_itself_passes_is_as_in_any_network(twin: str) -> None:
    passing = {bars.effect: (2 * bars.paper, 1.9 * bars.paper, 2.1 * bars.paper) for bars in BARS}
    told = findings(tables(effects=passing, model=f"some/model, {twin} twin (seed 1)"))
    assert {one.verdict for one in told} == {ANY}
    assert "never learned" in told[1].sentence
    assert {one.verdict for one in findings(tables(effects=passing))} == {ANY, AS}


def test_noise_above_one_is_no_rate_between_never_and_no_difference() -> None:
    sentence = made(effects={"noise": (18.63, 12.0, 25.0)})["noise"].sentence
    assert "18.63 [12.00, 25.00] times" in sentence and "above 1: more often" in sentence
    assert "makes no difference" not in sentence
    for row in ("own_pairs", "noise"):
        assert "tructure alone can bring this about" in made()[row].sentence


def test_sentences_name_what_pairs_are_of() -> None:
    told = made(unit="words")
    assert "150 words apart" in told["reach"].sentence
    assert told["repeating"].sentence.count("No head stands out in repetition beyond one word.") == 1
    assert "Words of other texts" in told["noise"].sentence
    assert not any("token" in finding.sentence for finding in told.values())


def test_own_matrices_tell_the_overlap_beside_chance_and_the_layer_of_the_most_alike() -> None:
    sentence = made({"head_overlap": [0.2, 0.4, 0.2, 0.2, 0.1, 0.1]})["own_pairs"].sentence
    assert "20% of their strong pairs in common on average (chance 1.0%" in sentence
    assert "The heads of layer 2 are most alike: 40%" in sentence


def test_each_claim_has_words_for_the_pages() -> None:
    assert {bars.claim for bars in BARS} == set(findings_module.CLAIMS)


def test_anchors_tell_how_much_of_them_is_length() -> None:
    sentence = made(heads={"length_share": [0.2, 0.6] * 6})["anchored"].sentence
    assert "40% of all strong pairs are simply those of the longest vectors (chance 1.0%)" in sentence


def test_reach_tells_the_distances_their_change_chance_and_the_layers_that_decide() -> None:
    told = made({"mean_distance": [120.0, 110, 60, 80, 100, 90], "chance_mean_distance": 158.0})
    later, last = told["later_reach"].sentence, told["reach"].sentence
    assert "120 tokens apart in layer 1 and 90 in layers 4 to 6 (-25%; chance is 158)" in later
    assert "shortest reach is in layer 3: 60 (-50%)" in later
    assert last.startswith("The last layer alone, layer 6, decides") and "in layer 1 and 90 in it (-25%" in last
    assert "a summary of the paper, not its abstract, has about -30% for BERT; chance is 158" in last


def test_short_distances_keep_a_decimal() -> None:
    sentence = made({"mean_distance": [1.6, 1.5, 1.5, 1.5, 1.5, 1.4], "chance_mean_distance": 1.7})["reach"].sentence
    assert "1.6 tokens" in sentence and "1.4 in it" in sentence and "chance is 1.7" in sentence


def test_sentences_tell_the_shares_that_the_verdict_rests_on() -> None:
    shares = [0.10, 0.20, 0.40, 0.30, 0.26, 0.28]
    told = made({"same_sentence_share": shares, "chance_same_sentence_share": 0.07})
    level, trend = told["late_sentences"].sentence, told["sentences"].sentence
    assert "27.0% of the strong pairs of layers 5 to 6 lie inside one sentence (chance 7.0%)" in level
    assert "Layer 3 keeps to sentences most: 40.0%" in level
    assert "15.0% of the strong pairs of the first 2 layers" in trend
    assert "27.0% in layers 5 to 6 (chance 7.0%)" in trend


def test_roles_tell_how_many_heads_have_which_and_who_repeats_most() -> None:
    shares = [0.02] * 7 + [0.88] + [0.02] * 4
    roles = {"role": ["anchor"] * 5 + ["repetition"] * 3 + ["mixed"] * 4, "second_role": ["repetition"] * 5 + [""] * 7}
    told = made(heads=roles | {"other_repetition_share": shares})
    sentence = told["repeating"].sentence
    assert "8 of 12 heads have a role (5 anchor, 3 repetition)" in told["gathering"].sentence
    assert "50% (heads without structure: 50%) of the heads stand out in repetition" in sentence
    assert (
        "L4H2, repetition (“sea”, “ship”), repeats most: 88% of its strong pairs are one token twice, without"
        in sentence
    )
    assert "(chance for a single head 2.0%)" in sentence
    anchored = made(heads=roles | {"other_repetition_share": [0.6] + [0.02] * 11})["repeating"].sentence
    assert "L1H1, anchor “the”, then repetition (“sea”, “ship”), repeats most: 60%" in anchored
    nobody = made()["gathering"].sentence
    assert "0 of 12 heads" in nobody and "(none)" in nobody


def test_anchors_tell_how_many_heads_gather_and_who_holds_strongest() -> None:
    heads = {"anchor_coverage": [0.2] * 10 + [0.9, 0.5], "anchor": ["the"] * 11 + ["sea"], "anchor_id": [5] * 11 + [9]}
    layers = {"anchor_uniqueness": 0.75, "anchored_heads": 0.25, "chance_anchored_heads": 0.125}
    told = made(layers, heads)
    sentence = told["anchored"].sentence
    assert "25% (heads without structure: 12%) of the heads gather around their anchor" in sentence
    assert (
        "2 different anchors; within a layer 75% are distinct (heads as concentrated around random places: 50%)"
        in told["distinct"].sentence
    )
    assert "L6H1 holds strongest: “the” touches 90% of its strong pairs (chance for a single head 20%)" in sentence


def test_noise_tells_the_layers_of_most_and_least() -> None:
    noise = [0.5, 0.9, 0.3, 0.1, 0.4, 0.8]
    layers = {"noise_rate": noise}
    sentence = made(layers, effects={"noise": (0.5, 0.4, 0.6)})["noise"].sentence
    assert "0.50 [0.40, 0.60] times as often" in sentence
    assert "0.90 times in layer 2, 0.10 in layer 4" in sentence


def test_separators_tell_their_attention_and_where_it_is_most() -> None:
    told = made({"separator_attention": [0.3, 0.06, 0.06, 0.06, 0.06, 0.11]}, effects={"separators": (1.83, 1.7, 2)})
    assert "receive 11.0% of the attention in layer 6 (the last), 1.83 times" in told["separators"].sentence
    assert "most in layer 1, 5.00 times" in told["separators"].sentence
    assert (
        "5.00 times what even attention would give them in layer 1, 1.83 times in" in told["separator_trend"].sentence
    )


@pytest.mark.parametrize(
    ("rows", "layers", "why"),
    [
        (["separators", "separator_trend"], {"chance_separator_attention": 0.0}, "no separator"),
        (["own_pairs", "distinct"], {"layer": range(1, 13)}, "one head only"),
        (["late_sentences", "sentences"], {"chance_same_sentence_share": 0.98}, "one sentence"),
        (["late_sentences", "sentences"], {"chance_same_sentence_share": 0.0}, "No sentence has two tokens"),
    ],
)
def test_what_a_model_or_a_text_has_no_answer_to_is_not_asked(
    rows: list[str], layers: dict[str, Any], why: str
) -> None:
    told = made(layers)
    assert [row for row, finding in told.items() if finding.verdict == NOT_ASKED] == rows
    for row in rows:
        assert why in told[row].sentence and told[row].reason == told[row].sentence and told[row].effect is None


@pytest.mark.parametrize(
    ("layers", "rows"), [(1, ["later_reach", "reach", "sentences", "separator_trend"]), (2, ["reach"]), (3, [])]
)
def test_one_layer_has_no_trend_and_of_two_the_last_is_the_later_half(layers: int, rows: list[str]) -> None:
    whole = tables()
    whole.layers, whole.statistics = whole.layers.head(layers), whole.statistics.head(2 * layers)
    assert [one.row for one in findings(whole) if one.verdict == NOT_ASKED] == rows
    assert change_of_distance(whole.layers) == 0


def test_a_short_text_bears_no_verdict_on_pairs_however_strong_the_signs() -> None:
    strong = {bars.effect: (bars.paper + 0.02 * bars.direction,) * 3 for bars in BARS}
    enough, few = made(pairs=MIN_PAIRS, effects=strong), made(pairs=MIN_PAIRS - 1, effects=strong)
    assert {finding.verdict for finding in enough.values()} == {AS, ANY}
    for row in ROWS:
        assert few[row].verdict == (AS if row in OF_ATTENTION else NO_SIGN)  # attention knows no pairs
        if row not in OF_ATTENTION:
            assert few[row].unclear == "too little text"
            assert few[row].sentence.endswith(f"This is too little text to tell: {MIN_PAIRS - 1} strong pairs a head.")
