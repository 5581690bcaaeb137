"""Verdicts from intervals and thresholds, and comparisons with baselines from intervals of differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attn_core.claims.claim import Claim
from attn_core.models.controls import SEEDS, Control
from attn_core.models.files import COPIES

Verdict = Literal["supported", "contradicted", "unclear", "not applicable"]
YesNoUnclear = Literal["yes", "no", "unclear", ""]


@dataclass(frozen=True)
class Difference:
    """A model minus a baseline over the same texts, its 95 % interval, and the baseline, scaled by `Claim.scaled`."""

    value: float
    low: float
    high: float
    baseline: float


Differences = Mapping[Control, Sequence[Difference]]


def verdict(claim: Claim, low: float, high: float) -> Verdict:
    """supported or contradicted if the whole 95 % interval lies beyond that threshold, else unclear."""
    nearest, farthest = sorted((claim.direction * low, claim.direction * high))
    if nearest > claim.direction * claim.supported:
        return "supported"
    return "contradicted" if farthest < claim.direction * claim.contradicted else "unclear"


def more_than_untrained(claim: Claim, differences: Differences) -> YesNoUnclear:
    """Whether an effect is larger in a model than in its copies; empty if a kind of copy is missing."""
    return _exceeds(claim, [differences.get(kind, ()) for kind in COPIES])


def needs_word_order(claim: Claim, differences: Differences) -> YesNoUnclear:
    """Whether an effect is larger in the texts than in shuffled texts; empty without shuffled texts."""
    return _exceeds(claim, [differences.get("shuffled_text", ())])


def _exceeds(claim: Claim, by_kind: Sequence[Sequence[Difference]]) -> YesNoUnclear:
    """Whether an effect exceeds that of baselines of some kinds; empty if a kind is missing.

    "yes" if there are `SEEDS` baselines of each kind, the interval of every difference lies above the margin, and the
    model exceeds all baselines of a kind by more than their range. "no" if the interval of a difference is below it.
    """
    if not all(by_kind):
        return ""
    every = [difference for of_kind in by_kind for difference in of_kind]
    if any(one.high < claim.scaled_margin for one in every):
        return "no"
    beyond = all(one.low > claim.scaled_margin for one in every)
    enough = all(
        len(of_kind) >= SEEDS and min(one.value for one in of_kind) > np.ptp([one.baseline for one in of_kind])
        for of_kind in by_kind
    )
    return "yes" if beyond and enough else "unclear"
