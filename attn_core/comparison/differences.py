"""The effect that each claim comes down to, in two studies at once, and their difference.

Of studies of one corpus the same texts are left out, so that what a text does to both cancels. Studies of other texts have no
interval of their difference.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from attn_core.comparison.paired import texts_of_both
from attn_core.findings.bars import BARS, Bars
from attn_core.findings.verdicts import findings
from attn_core.measures.effects import effect_values
from attn_core.numerics.leave_one_out import effective, interval
from attn_core.study.opened import Study
from attn_core.study.shard_tables import group_sizes, read_tally

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


def differences(a: Study, b: Study) -> list[Difference]:
    """Of every row of the claims that both can be asked, a minus b.

    Raises InputError where two studies of one corpus have no text in common.
    """
    numbers = _of_studies(a, b)
    unasked = {one.row for either in (a, b) for one in findings(either) if one.verdict == "not asked"}
    return [Difference(bars, *numbers[bars.effect]) for bars in BARS if bars.effect not in unasked]


def _of_studies(a: Study, b: Study) -> Numbers:
    """Paired by text where both are of one corpus."""
    texts, _, paired = texts_of_both(a, b)
    if not paired:
        return _of_other_texts(a, b)
    first, second = (effect_values(read_tally(one.folder, texts), one.shape)[0] for one in (a, b))
    sizes = min((group_sizes(one.folder, texts)[0] for one in (a, b)), key=effective)
    numbers: Numbers = {}
    for name in first:
        low, high = interval(first[name] - second[name], sizes)
        numbers[name] = float(first[name][0]), float(second[name][0]), float(low), float(high)
    return numbers


def _of_other_texts(a: Study, b: Study) -> Numbers:
    """Both numbers, without an interval."""
    own, theirs = (one.effects.set_index("effect")["value"] for one in (a, b))
    return {str(name): (float(own[name]), float(theirs[name]), np.nan, np.nan) for name in own.index}
