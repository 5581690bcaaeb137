"""The bars of the claims: where each stands, on which side of it an interval lies, and what the rule says in words."""

import numpy as np
import pytest
from attn_core.findings.bars import BARS, BY_EFFECT, MANY, Effect, judged

# Effect -> the bar of the paper and that against it, written out: they are our choice, and a verdict hangs on each.
WHERE_THEY_STAND = {
    "own_pairs": (0.6, 0.4),
    "later_reach": (-0.15, 0.1),
    "reach": (-0.15, 0.2),
    "late_sentences": (1.25, 0.9),
    "sentences": (1.25, 0.8),
    "repeating": (0.005, 0.001),
    "gathering": (0.006, 0.001),
    "anchored": (0.8, 0.4),
    "distinct": (0.905, 0.785),
    "separators": (2, 0.8),
    "separator_trend": (1.25, 0.8),
    "noise": (0.2, 0.02),
}
STEP = 0.0002


def lying(name: str, low: float, high: float) -> str:
    """The side of an interval of an effect."""
    return Effect(BY_EFFECT[name], (low + high) / 2, low, high, 0, 8, "texts").side


def test_every_effect_has_its_bars_written_out() -> None:
    assert set(WHERE_THEY_STAND) == {bars.effect for bars in BARS}


@pytest.mark.parametrize(("name", "paper", "against"), [(name, *bars) for name, bars in WHERE_THEY_STAND.items()])
def test_each_bar_parts_what_is_just_beyond_it_from_what_is_not(name: str, paper: float, against: float) -> None:
    upper, lower = ("paper", "against") if paper > against else ("against", "paper")
    below, above = sorted((paper, against))
    assert lying(name, above + STEP, above + 2 * STEP) == upper
    assert lying(name, above - 2 * STEP, above - STEP) == "between"
    assert lying(name, below + STEP, below + 2 * STEP) == "between"
    assert lying(name, below - 2 * STEP, below - STEP) == lower
    assert lying(name, above - STEP, above + STEP) == lying(name, below - STEP, below + STEP) == "open"
    assert lying(name, np.nan, np.nan) == lying(name, above + STEP, np.nan) == "unknown"


def test_an_interval_that_ends_at_a_bar_is_not_beyond_it() -> None:
    assert lying("sentences", 1.25, 1.3) == "open"
    assert lying("sentences", 0.7, 0.8) == "open"
    assert lying("sentences", 0.8, 1.25) == "between"


@pytest.mark.parametrize(
    ("interval", "texts", "verdict", "unclear"),
    [
        ((1.26, 1.40), 8, "as in the paper", ""),
        ((0.50, 0.79), 8, "unlike the paper", ""),
        ((0.90, 1.10), 8, "no clear sign", "small"),
        ((1.20, 1.30), MANY, "no clear sign", "near the bar"),
        ((0.75, 0.85), MANY, "no clear sign", "near the bar"),
        ((1.20, 1.30), MANY - 1, "no clear sign", "too little text"),
        ((0.70, 1.30), MANY, "no clear sign", "too little text"),  # it holds both bars
        ((np.nan, np.nan), MANY, "no clear sign", "too little text"),
    ],
)
def test_a_verdict_and_which_kind_of_no_clear_sign(
    interval: tuple[float, float], texts: int, verdict: str, unclear: str
) -> None:
    effect = Effect(BY_EFFECT["sentences"], float(np.mean(interval)), *interval, 1, texts, "texts")
    told = judged(effect, {})
    assert (told.verdict, told.unclear) == (verdict, unclear)
    outside = "What the paper says lies outside" in told.reason
    assert outside == (unclear in ("near the bar", "too little text") and interval[1] < 1.25)


def test_what_chance_or_a_network_that_never_learned_passes_is_as_in_any_network() -> None:
    trend = Effect(BY_EFFECT["sentences"], 1.4, 1.3, 1.5, 1, 8, "texts")
    at_chance, beyond, across = (
        Effect(trend.bars, value, value - 0.02, value + 0.02, 1, 8, "texts") for value in (1, 1.3, 1.26)
    )
    assert judged(trend, {"untrained twin": at_chance, "permuted twin": across}).verdict == "as in the paper"
    told = judged(trend, {"untrained twin": at_chance, "permuted twin": beyond})
    assert (told.verdict, told.unclear) == ("as in any network", "")
    assert "passed by the permuted twin (1.30 [1.28, 1.32]) too" in told.reason
    assert judged(Effect(trend.bars, 1.4, 1.3, 1.5, 1.26, 8, "texts"), {}).reason.startswith(
        "Its bar is passed by chance"
    )
    for name in ("own_pairs", "noise"):
        assert judged(Effect(BY_EFFECT[name], 0.9, 0.8, 1, 0, 8, "texts"), {}).verdict == "as in any network"
    assert judged(trend, {}, never_learned=True).verdict == "as in any network", "the network itself is such a one"
    small = Effect(trend.bars, 1, 0.9, 1.1, 1, 8, "texts")
    assert judged(small, {}, never_learned=True) == judged(small, {})
    assert judged(small, {"permuted twin": beyond}).verdict == "no clear sign", "there is nothing to take back"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("reach", -0.15, "-15%"),
        ("reach", 0.052, "+5.2%"),
        ("own_pairs", 0.6, "60%"),
        ("repeating", 0.055, "5.5%"),
        ("separators", 2, "2.00"),
    ],
)
def test_a_value_is_told_in_the_unit_of_its_effect(name: str, value: float, words: str) -> None:
    assert BY_EFFECT[name].number(value) == words


def test_the_rule_says_which_way_is_the_papers() -> None:
    assert BY_EFFECT["sentences"].rule == "above 1.25 as in the paper, below 0.80 unlike it"
    assert BY_EFFECT["reach"].rule == "below -15% as in the paper, above +20% unlike it"
