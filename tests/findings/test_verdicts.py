"""The findings of made-up tables: verdicts, why there is none, and the numbers that decide."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from attn_core.findings.bars import BARS
from attn_core.findings.verdicts import OF_ATTENTION, Finding, findings

from attn_core.findings import verdicts as findings_module
from attn_core.measures.effects import COLUMNS
from attn_core.measures.tally import MIN_PAIRS

ROWS = [bars.effect for bars in BARS]
AS, UNLIKE, NO_SIGN, NOT_ASKED = "as in the paper", "unlike the paper", "no clear sign", "not asked"
ANY = "as in any network"
AT_CHANCE = {
    "own_pairs": 0.99, "later_reach": 0.0, "reach": 0.0, "late_sentences": 1.0, "sentences": 1.0, "repeating": 0.0,
    "gathering": 0.0, "anchored": 0.5, "distinct": 0.85, "separators": 1.0, "separator_trend": 1.0, "noise": 0.1,
}  # fmt: skip
Interval = tuple[float, float, float]  # value, low, high


def made(
    layers: dict[str, Any] | None = None,
    pairs: int = 1000,
    effects: dict[str, Interval] | None = None,
    nulls: Any = None,
    short: int = 0,
) -> dict[str, Finding]:
    """The findings for six layers of two heads in which everything is at chance, but for what is given."""
    told = findings(tables(layers, pairs, effects, short=short), nulls)
    assert [finding.row for finding in told] == ROWS
    return {finding.row: finding for finding in told}


def tables(
    layers: dict[str, Any] | None = None,
    pairs: int = 1000,
    effects: dict[str, Interval] | None = None,
    model: str = "some/model",
    short: int = 0,
) -> Any:
    """What findings are told from. Every effect is sharp and at chance but for those given."""
    layer_columns = {
        "layer": range(1, 7), "chance_same_sentence_share": 0.08, "chance_separator_attention": 0.06,
    }  # fmt: skip
    head_columns = {
        "layer": [layer for layer in range(1, 7) for _ in range(2)],
        "head": [1, 2] * 6,
        "pairs": pairs,
        "windows": 1,
    }
    numbers = {name: (value, value - 0.001, value + 0.001) for name, value in AT_CHANCE.items()} | (effects or {})
    rows = [(name, *interval, AT_CHANCE[name], 8, "texts") for name, interval in numbers.items()]
    return SimpleNamespace(
        layers=pd.DataFrame({**layer_columns, **(layers or {})}),
        statistics=pd.DataFrame(head_columns),
        effects=pd.DataFrame(rows, columns=COLUMNS),
        provenance={"model": model, "short_windows": short},
    )


def test_a_model_that_reads_no_reference_text_is_not_asked_for_its_noise() -> None:
    noise = made(effects={"noise": (np.nan, np.nan, np.nan)})["noise"]
    assert noise.verdict == "not asked" and "reference texts" in noise.reason


def test_data_at_chance_bear_no_row_out() -> None:
    verdicts = {row: finding.verdict for row, finding in made().items()}
    assert verdicts == dict.fromkeys(ROWS, NO_SIGN) | {"own_pairs": ANY}
    assert made()["noise"].sentence.startswith("Noise rate: 0.10 [0.10, 0.10]; by chance 0.10.")


def test_windows_that_are_left_out_are_said() -> None:
    assert all("2 windows are left out" in finding.sentence for finding in made(short=2).values())
    assert not any("left out" in finding.sentence for finding in made().values())


@pytest.mark.parametrize("bars", BARS, ids=lambda bars: bars.effect)
def test_a_verdict_is_given_only_where_the_whole_interval_is_beyond_its_bar(bars) -> None:
    step = 0.04 * (bars.paper - bars.against)
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
    assert "Here -24% [-31, -16], 95% interval over 8 texts; by chance 0%." in finding.effect.rule


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


def test_each_claim_has_words_for_the_pages() -> None:
    assert {bars.claim for bars in BARS} == set(findings_module.CLAIMS)


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


def test_a_short_text_bears_no_verdict_on_pairs_however_strong_the_signs() -> None:
    strong = {bars.effect: (bars.paper + 0.02 * bars.direction,) * 3 for bars in BARS}
    enough, few = made(pairs=MIN_PAIRS, effects=strong), made(pairs=MIN_PAIRS - 1, effects=strong)
    assert {finding.verdict for finding in enough.values()} == {AS, ANY}
    for row in ROWS:
        assert few[row].verdict == (AS if row in OF_ATTENTION else NO_SIGN)  # attention knows no pairs
        if row not in OF_ATTENTION:
            assert few[row].unclear == "too little text"
            assert few[row].sentence.endswith(
                f"This is too little text to tell: no window has {MIN_PAIRS} strong pairs a head."
            )
