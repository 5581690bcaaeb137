"""The bars of the claims: where each stands, on which side of it an interval lies, and what the rule says in words."""

import numpy as np
import pytest

from attn_core.findings.bars import BARS, BY_EFFECT, Effect, judged

# Effect -> the bar of the paper and that against it, written out: they are our choice, and a verdict hangs on each.
WHERE_THEY_STAND = {
    "own_pairs": (0.6, 0.4),
    "reach": (-0.15, 0.05),
    "sentences": (1.25, 0.8),
    "repeating": (0.05, -0.05),
    "gathering": (0.05, -0.05),
    "anchored": (0.5, 0.25),
    "distinct": (0.05, -0.05),
    "separators": (2, 0.8),
    "noise": (0.2, 0.02),
}
STEP = 0.001


def lying(name: str, low: float, high: float) -> str:
    """The side of an interval of an effect."""
    return Effect(BY_EFFECT[name], (low + high) / 2, low, high, 0, 8, "parts").side


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


def of_side(name: str, side: str) -> Effect:
    """An effect of which the whole interval lies on a side."""
    paper, against = WHERE_THEY_STAND[name]
    out = STEP if paper > against else -STEP
    low, high = sorted({"paper": (paper + out, paper + 2 * out), "against": (against - out, against - 2 * out)}[side])
    return Effect(BY_EFFECT[name], (low + high) / 2, low, high, 0, 8, "parts")


@pytest.mark.parametrize(
    ("claim", "first", "second"), [("C4", "repeating", "gathering"), ("C5", "anchored", "distinct")]
)
def test_one_effect_against_it_is_enough_for_specialisation_only(claim: str, first: str, second: str) -> None:
    mixed = [of_side(first, "paper"), of_side(second, "against")]
    expected = "unlike the paper" if claim == "C4" else "no clear sign"
    assert judged(claim, mixed)[0] == judged(claim, mixed[::-1])[0] == expected
    assert judged(claim, [of_side(first, "paper"), of_side(second, "paper")]) == ("as in the paper", "")
    assert judged(claim, [of_side(first, "against"), of_side(second, "against")]) == ("unlike the paper", "")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("reach", -0.15, "-15 %"),
        ("reach", 0.052, "+5.2 %"),
        ("own_pairs", 0.6, "60 %"),
        ("repeating", 0.05, "+5 points"),
        ("repeating", 0.0, "0 points"),
        ("separators", 2, "2.00"),
    ],
)
def test_a_value_is_told_in_the_unit_of_its_effect(name: str, value: float, words: str) -> None:
    assert BY_EFFECT[name].number(value) == words


def test_the_rule_says_which_way_is_the_papers() -> None:
    assert BY_EFFECT["sentences"].rule == "above 1.25 as in the paper, below 0.80 unlike it"
    assert BY_EFFECT["reach"].rule == "below -15 % as in the paper, above +5 % unlike it"
