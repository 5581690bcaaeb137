"""The effect that each claim comes down to, of two subjects at once, so that they can be held against each other.

Studies of one corpus draw the same texts in every replicate of an effect, and two readings of one text leave out the same
parts, so that what a text, or a part of it, does to both cancels. What is of other texts is compared by the intervals of
each.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from attn_core.analysis.one_text import Analysis
from attn_core.comparison.paired import texts_of_both
from attn_core.findings.bars import BARS, Bars
from attn_core.findings.protocols import Results
from attn_core.findings.verdicts import findings
from attn_core.measures.effects import WIDEN, effect_values
from attn_core.measures.jackknife import PartByPart, jackknifed
from attn_core.numerics.poisson_bootstrap import apart, effective, interval, interval_of_mean
from attn_core.study.opened import Study
from attn_core.study.shard_tables import read_tally, text_sizes

Outcome = Literal["the other way", "no difference", "open", "less than counts", "beyond the margin"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)  # the lowest first
Numbers = dict[str, tuple[float, float, float, float]]  # by effect: both numbers, low and high of their difference


@dataclass(frozen=True)
class Difference:
    """An effect in one subject minus the same in another; low, high: of its 95 % interval, NaN where none can be told."""

    bars: Bars
    first: float
    second: float
    low: float
    high: float

    @property
    def outcome(self) -> Outcome:
        """Where the interval lies, in the claim's direction; open where it does not tell."""
        margin = self.bars.margin
        low, high = sorted((self.bars.direction * self.low, self.bars.direction * self.high))
        if low > margin:
            return "beyond the margin"
        if low > 0 and high <= margin:
            return "less than counts"
        if high < 0:
            return "the other way"
        return "no difference" if low <= 0 <= high and -margin <= low and high <= margin else "open"

    @property
    def apart(self) -> bool | None:
        """Whether they differ by the margin, in whatever direction; None where the interval does not tell."""
        if max(self.low, -self.high) > self.bars.margin:
            return True
        return False if max(-self.low, self.high) < self.bars.margin else None

    @property
    def sentence(self) -> str:
        """The other's number, the difference, its interval."""
        interval = "" if np.isnan(self.low) else f" [{self._number(self.low)}, {self._number(self.high)}]"
        return f"{self.bars.number(self.second)}, difference {self._number(self.first - self.second)}{interval}"

    def _number(self, value: float) -> str:
        """Of shares in percentage points; without the sign that a small negative number keeps."""
        return f"{round(value, 2) + 0.0:.2f}" if self.bars.unit == "times" else f"{round(100 * value) + 0:.0f}"


def differences(a: Results, b: Results) -> list[Difference]:
    """Of every row of the claims that both can be asked, a minus b.

    Raises InputError where two studies of one corpus have no text in common.
    """
    if isinstance(a, Study) and isinstance(b, Study):
        numbers = _of_studies(a, b)
    elif isinstance(a, Analysis) and isinstance(b, Analysis) and a.reading.document.text == b.reading.document.text:
        # By part of the text, the noise by unrelated text; apart where it is not cut into as many.
        numbers = _apart(a, b) | part_by_part_differences(a.part_by_part, b.part_by_part)
    else:
        numbers = _apart(a, b)
    unasked = {one.row for either in (a, b) for one in findings(either) if one.verdict == "not asked"}
    return [Difference(bars, *numbers[bars.effect]) for bars in BARS if bars.effect not in unasked]


def _of_studies(a: Study, b: Study) -> Numbers:
    """Paired by text where both are of one corpus."""
    texts, _, paired = texts_of_both(a, b)
    if not paired:
        return _apart(a, b)
    draws, seed = a.manifest["settings"]["draws"], a.manifest["settings"]["seed"]
    first, second = (effect_values(read_tally(one.folder, draws, seed, texts), one.shape)[0] for one in (a, b))
    sizes = min((text_sizes(one.folder, texts) for one in (a, b)), key=effective)
    numbers: Numbers = {}
    for name in first:
        low, high = interval(first[name] - second[name], sizes)
        numbers[name] = float(first[name][0]), float(second[name][0]), float(low), float(high)
    return numbers


def part_by_part_differences(first: PartByPart, second: PartByPart) -> Numbers:
    """Of every effect of one text in two readings, where these are cut into as many parts."""
    numbers: Numbers = {}
    for name, values in first.values.items():
        own, theirs = (first.noise, second.noise) if name == "noise" else (values, second.values[name])
        if len(own) == len(theirs):
            difference = float(values[0] - second.values[name][0])
            low, high = _around(difference, own - theirs) if name == "noise" else jackknifed(own - theirs, WIDEN[name])
            numbers[name] = float(values[0]), float(second.values[name][0]), low, high
    return numbers


def _around(value: float, each: np.ndarray) -> tuple[float, float]:
    """The interval of a value over the texts that each number is against."""
    half = WIDEN["noise"] * (interval_of_mean(each)[1] - each.mean())
    return value - half, value + half


def _apart(a: Results, b: Results) -> Numbers:
    """Each with an interval of its own."""
    own, theirs = (one.effects.set_index("effect")[["value", "low", "high"]] for one in (a, b))
    first, second = ((one["value"], (one["low"], one["high"])) for one in (own, theirs.loc[own.index]))
    low, high = apart(first, second)
    return dict(zip(own.index, zip(first[0], second[0], low, high, strict=True), strict=True))
