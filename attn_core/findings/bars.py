"""The rows of the claims: an effect each, the bars that it must pass with its whole interval, and its verdict.

*As in the paper* is said where the whole 95 % interval passes the paper's bar, *unlike the paper* where the whole of it falls
short of the other, else *no clear sign*, and which: the effect is *small*, it lies *near the bar*, or there is *too little
text*. *As in any network*: chance, or a network that never learned, passes the paper's bar too. *Not asked* is what a model
or a text has no answer to. Rows are never joined.
The bars are our choice: the paper names none. Those of C2 to C6 are tried with corpora of networks that never learned, which
chose none of them; docs/results.md says how many were told either. Those of C4 and of an anchor of its own are what 95 of 100
corpora of copies reach, and fall short of where that is not 0 (`docs/benchmark.py --only claims`: 20 seeds of untrained copies
and of shuffled weights of two models, 16 windows of prose each).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

Verdict = Literal["as in the paper", "unlike the paper", "as in any network", "no clear sign", "not asked"]
Unclear = Literal["", "small", "near the bar", "too little text"]
Side = Literal["paper", "against", "between", "open", "unknown"]
Unit = Literal["change", "share", "times"]
ANY_NETWORK = ("own_pairs", "noise")  # rows that chance passes: never as in the paper by themselves
NO_INTERVAL = "There is too little text for an interval over texts, which takes four."
MANY = 20  # texts behind which an interval that holds a bar is near it; fewer are too little text; our choice


@dataclass(frozen=True)
class Bars:
    """A row: what its effect is, and how large it must be: past `paper` it is the paper's, short of `against` its opposite.

    topic, label: its name, and that of its number, in short. abstract: what the paper's abstract, or a summary, says. counts:
    the smallest difference between two subjects that counts; half of what lies between the bars where none is given. Our choice.
    """

    effect: str
    claim: str
    topic: str
    abstract: str
    label: str
    words: str
    paper: float
    against: float
    unit: Unit
    counts: float | None = None

    @property
    def name(self) -> str:
        """The claim and the row's topic."""
        return f"{self.claim} {self.topic}"

    @property
    def direction(self) -> int:
        """1 where the claim says that the effect is large, -1 where small."""
        return 1 if self.paper > self.against else -1

    @property
    def margin(self) -> float:
        """The smallest difference between two subjects that counts."""
        return abs(self.paper - self.against) / 2 if self.counts is None else self.counts

    def passed_by(self, value: float) -> bool:
        """Whether a value passes the paper's bar."""
        return self.direction * value > self.direction * self.paper

    def number(self, value: float) -> str:
        """A value of the effect with its unit."""
        if self.unit == "times":
            return f"{value:.2f}"
        shown = round(100 * value, 1)
        sign = "+" if self.unit == "change" and shown else ""
        return f"{shown:{sign}z.1f}".removesuffix(".0") + "%"

    @property
    def rule(self) -> str:
        """The bars as a sentence's end."""
        ways = ("above", "below") if self.direction > 0 else ("below", "above")
        return f"{ways[0]} {self.number(self.paper)} as in the paper, {ways[1]} {self.number(self.against)} unlike it"


BARS = (
    Bars(
        "own_pairs", "C1", "Own matrices", "distinct context similarities within each head and layer", "Pairs not shared",
        "strong pairs that two heads of a layer do not share", 0.6, 0.4, "share",
    ),
    Bars(
        "later_reach", "C2", "Shorter later", "as the layers progress, a more short-range similarity",
        "Change of reach, later half over first layer",
        "change of the mean distance over chance from the first layer to the later half of the layers", -0.15, 0.1, "change",
    ),
    Bars(
        "reach", "C2", "Shorter at the end", "a summary of the paper: about -30% from the first layer to the last, in BERT",
        "Change of reach, last over first layer",
        "change of the mean distance over chance from the first layer to the last", -0.15, 0.2, "change",
    ),
    Bars(
        "late_sentences", "C3", "Same sentence", "culminating in a preference within the same sentence",
        "Same sentence over chance, late layers",
        "same-sentence share over chance in the last third of the layers", 1.25, 0.9, "times",
    ),
    Bars(
        "sentences", "C3", "Same sentence, more and more", "culminating in a preference within the same sentence",
        "Same sentence, late over early layers",
        "same-sentence share over chance in the last third of the layers, over that of the first third (at least chance)",
        1.25, 0.8, "times",
    ),
    Bars(
        "repeating", "C4", "Repetition heads", "identifying token repetitions", "Repetition heads",
        "heads that repeat tokens, without the token that each repeats most", 0.005, 0.001, "share", 0.002,
    ),
    Bars(
        "gathering", "C4", "Common-token heads", "a token of common appearance and its surrounding context",
        "Common-token heads",
        "heads of which 5% of the pairs, beyond pairs of like distance, lie around one occurrence of their anchor", 0.006, 0.001,
        "share", 0.002,
    ),
    Bars(
        "anchored", "C5", "An anchor", "each head tends to focus on a unique token", "Heads with an anchor",
        "heads whose anchor covers 10% of the pairs more than the most common token does by chance", 0.8, 0.4, "share", 0.1,
    ),
    Bars(
        "distinct", "C5", "An anchor of its own", "each head tends to focus on a unique token", "Distinct anchors",
        "distinct anchors of a layer over its heads", 0.905, 0.785, "share", 0.1,
    ),
    Bars(
        "separators", "C6", "Separators", "in the final layers, the attention map focuses on sentence separator tokens",
        "Times even attention, last layers",
        "attention to separators over even attention in the last quarter of the layers", 2, 0.8, "times",
    ),
    Bars(
        "separator_trend", "C6", "Separators, more and more", "in the final layers",
        "Attention to separators, last over first layers",
        "attention to separators over even attention in the last quarter of the layers, over that of the first quarter",
        1.25, 0.8, "times",
    ),
    Bars(
        "noise", "C7", "Noise", "a summary of the paper: unrelated tokens are similar too", "Noise rate",
        "how often tokens of unrelated texts are as similar as strong pairs, over how often those of the text are",
        0.2, 0.02, "times",
    ),
)  # fmt: skip
BY_EFFECT = {bars.effect: bars for bars in BARS}


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
        """Where the whole interval lies: past the paper's bar, short of the other, or between; open where it holds a bar."""
        if np.isnan([self.low, self.high]).any():
            return "unknown"
        below, above = sorted((self.bars.paper, self.bars.against))
        if self.low > above:
            return "paper" if self.bars.direction > 0 else "against"
        if self.high < below:
            return "against" if self.bars.direction > 0 else "paper"
        return "between" if below <= self.low and self.high <= above else "open"

    @property
    def excludes_paper(self) -> bool:
        """Whether no value of the interval passes the paper's bar."""
        return self.side != "unknown" and not (self.bars.passed_by(self.low) or self.bars.passed_by(self.high))

    @property
    def number(self) -> str:
        """The value with its interval."""
        if self.side == "unknown":
            return f"{self.bars.number(self.value)} (no interval: {self.units} {self.over})"
        low, high = (self.bars.number(bound).removesuffix("%") for bound in (self.low, self.high))
        return f"{self.bars.number(self.value)} [{low}, {high}]"

    @property
    def sentence(self) -> str:
        """What the effect is, its number, and what chance gives."""
        return f"{self.bars.label}: {self.number}; by chance {self.bars.number(self.chance)}."

    @property
    def rule(self) -> str:
        """The rule with the numbers put in."""
        words, over = self.bars.words[0].upper() + self.bars.words[1:], f"{self.units} {self.over}"
        return (
            f"{words}: {self.bars.rule}. Here {self.number}, 95% interval over {over}; by chance "
            f"{self.bars.number(self.chance)}."
        )


@dataclass(frozen=True)
class Judgement:
    """The verdict on a row; why it is no clear sign; and a sentence on why it is neither as in the paper nor unlike it."""

    verdict: Verdict
    unclear: Unclear = ""
    reason: str = ""


def judged(effect: Effect, nulls: Mapping[str, Effect], never_learned: bool = False) -> Judgement:
    """The verdict on a row. nulls: its effect in networks that never learned, by what they are called.

    never_learned: whether the effect is that of such a network itself.
    """
    if effect.side == "paper":
        if never_learned:
            return Judgement(
                "as in any network", reason="This network never learned: what it passes shows no learning."
            )
        passing = _passing(effect, nulls)
        if not passing:
            return Judgement("as in the paper")
        return Judgement(
            "as in any network", reason=f"Its bar is passed by {passing} too: alone this shows no learning."
        )
    if effect.side == "against":
        return Judgement("unlike the paper")
    if effect.side == "between":
        return Judgement("no clear sign", "small", "The effect is small: its interval lies between the bars.")
    if effect.side == "unknown":
        return Judgement("no clear sign", "too little text", NO_INTERVAL)
    far = " What the paper says lies outside the interval." if effect.excludes_paper else ""
    below, above = sorted((effect.bars.paper, effect.bars.against))
    wide = effect.low < below and effect.high > above
    if effect.units >= MANY and not wide:
        return Judgement("no clear sign", "near the bar", f"It is near the bar: the interval holds it.{far}")
    return Judgement(
        "no clear sign", "too little text", f"This is too little text to tell: the interval holds a bar.{far}"
    )


def _passing(effect: Effect, nulls: Mapping[str, Effect]) -> str:
    """What else passes the paper's bar, with its value; of a network the whole interval, as of the effect itself."""
    bars = effect.bars
    passing = [f"chance ({bars.number(effect.chance)})"] if bars.passed_by(effect.chance) else []
    passing += [f"the {name} ({null.number})" for name, null in nulls.items() if null.side == "paper"]
    if bars.effect in ANY_NETWORK and not passing:
        return "any network"
    return " and by ".join(passing)
