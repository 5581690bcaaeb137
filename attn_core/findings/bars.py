"""When is a claim borne out? Its effects, the bars that they must pass with their whole interval, and the rule in words.

*As in the paper* and *unlike the paper* are said where the whole 95 % interval lies beyond a bar, else *no clear sign*: the
effect is small, its interval inside what counts for nothing, or the text is too little, its interval reaches beyond a bar.
*Not asked* is what a model or a text has no answer to. The bars are our choice: the paper names none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Verdict = Literal["as in the paper", "unlike the paper", "no clear sign", "not asked"]
Side = Literal["paper", "against", "between", "open", "unknown"]
Unit = Literal["change", "share", "points", "times"]


@dataclass(frozen=True)
class Bars:
    """What an effect is, in words, and how large it must be: beyond `paper` it is the paper's, beyond `against` its opposite."""

    effect: str
    claim: str
    words: str
    paper: float
    against: float
    unit: Unit

    def number(self, value: float) -> str:
        """A value of the effect, in words."""
        if self.unit == "times":
            return f"{value:.2f}"
        sign = "+" if self.unit in ("change", "points") and value != 0 else ""
        return f"{100 * value:{sign}.1f}".removesuffix(".0") + (" points" if self.unit == "points" else " %")

    @property
    def rule(self) -> str:
        """The bars, in words."""
        ways = ("above", "below") if self.paper > self.against else ("below", "above")
        return f"{ways[0]} {self.number(self.paper)} as in the paper, {ways[1]} {self.number(self.against)} unlike it"


BARS = (
    Bars("own_pairs", "C1", "strong pairs that two heads of a layer do not share", 0.6, 0.4, "share"),
    Bars("reach", "C2", "change of the mean distance over chance from the first layer to the last", -0.15, 0.05, "change"),
    Bars(
        "sentences", "C3",
        "same-sentence share over chance in the last third of the layers, over that of the first third (at least chance)",
        1.25, 0.8, "times",
    ),
    Bars("repeating", "C4", "heads that stand out in repetition, more than heads without structure", 0.05, -0.05, "points"),
    Bars(
        "gathering", "C4", "heads that stand out at an anchor or at separators, more than heads without structure",
        0.05, -0.05, "points",
    ),
    Bars("anchored", "C5", "heads whose anchor is beyond the best token of random pairs", 0.5, 0.25, "share"),
    Bars(
        "distinct", "C5", "distinct anchors of a layer, more than of heads as concentrated around random places",
        0.05, -0.05, "points",
    ),
    Bars("separators", "C6", "attention to separators over even attention in the last quarter of the layers", 2, 0.8, "times"),
    Bars(
        "noise", "C7", "how often tokens of unrelated texts are as similar as strong pairs, over how often those of the text are",
        0.2, 0.02, "times",
    ),
)  # fmt: skip
BY_EFFECT = {bars.effect: bars for bars in BARS}
TOO_LITTLE = "This is too little to tell: the interval reaches beyond a bar."
ONE_IS_ENOUGH = ("C4",)  # claims whose effects speak against them one by one


@dataclass(frozen=True)
class Effect:
    """An effect that was measured, with its 95 % interval (NaN: none) over so many units, and what chance gives."""

    bars: Bars
    value: float
    low: float
    high: float
    chance: float
    units: int
    over: str

    @property
    def side(self) -> Side:
        """Where the whole interval lies: beyond a bar, between them, or on both sides of one; unknown without an interval."""
        if np.isnan([self.low, self.high]).any():
            return "unknown"
        below, above = sorted((self.bars.paper, self.bars.against))
        rises = self.bars.paper > self.bars.against
        if self.low > above:
            return "paper" if rises else "against"
        if self.high < below:
            return "against" if rises else "paper"
        return "between" if below <= self.low and self.high <= above else "open"

    @property
    def chance_passes(self) -> bool:
        """Whether what chance gives lies beyond the paper's bar."""
        bars = self.bars
        return self.chance > bars.paper if bars.paper > bars.against else self.chance < bars.paper

    @property
    def number(self) -> str:
        """The value with its interval."""
        if self.side == "unknown":
            return f"{self.bars.number(self.value)} (no interval: {self.units} {self.over})"
        low, high = (
            self.bars.number(bound).removesuffix(" %").removesuffix(" points") for bound in (self.low, self.high)
        )
        return f"{self.bars.number(self.value)} [{low}, {high}]"

    @property
    def told(self) -> str:
        """The rule with the numbers put in."""
        words, over = self.bars.words[0].upper() + self.bars.words[1:], f"{self.units} {self.over}"
        return (
            f"{words}: {self.bars.rule}. Here {self.number}, 95 % interval over {over}; by chance "
            f"{self.bars.number(self.chance)}."
        )


def judged(claim: str, effects: Sequence[Effect]) -> tuple[Verdict, str]:
    """The verdict on a claim, and where it is no clear sign, why."""
    sides = [effect.side for effect in effects]
    if all(side == "paper" for side in sides):
        return "as in the paper", ""
    against = any if claim in ONE_IS_ENOUGH else all
    if against(side == "against" for side in sides):
        return "unlike the paper", ""
    if "unknown" in sides:
        return "no clear sign", "There are too few parts for an interval."
    if "open" in sides:
        return "no clear sign", TOO_LITTLE
    if len(set(sides)) > 1:
        return "no clear sign", "One of its two numbers is beyond its bar, the other is not."
    return "no clear sign", "The effect is small: its interval lies between the bars."
