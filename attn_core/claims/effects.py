"""The effects of a subject: each with its interval, its difference from a baseline, and over the mean of copies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from attn_core.claims.claim import CLAIMS, Claim
from attn_core.claims.counted import Counted
from attn_core.numerics.leave_one_out import (
    OtherError,
    effective,
    error_of_mean,
    error_without_each,
    interval,
    interval_of_logarithm,
    rule_of_three,
)


@dataclass(frozen=True)
class Difference:
    """A model minus a baseline over the same texts, its 95 % interval, and the baseline, scaled by `Claim.scaled`."""

    value: float
    low: float
    high: float
    baseline: float


@dataclass(frozen=True, eq=False)
class Effect:
    """The effect of a claim in a subject.

    values: (1 + GROUPS,), over all texts and without each group of texts. sizes: of the groups, (GROUPS,). chance: its
    chance level. reason: why the claim is not applicable, or "". without_references: without each of n reference texts,
    (n,), if it depends on them. of_copies: the error of the logarithm of the mean of copies that it is divided by.
    """

    claim: Claim
    values: np.ndarray
    sizes: np.ndarray
    chance: float = 0.0
    reason: str = ""
    without_references: np.ndarray | None = None
    of_copies: OtherError | None = None

    @property
    def value(self) -> float:
        return float(self.values[0])

    @cached_property
    def scaled(self) -> np.ndarray:
        """The values on the scale of comparisons, see `Claim.scaled`."""
        return self.claim.scaled(self.values)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The 95 % interval; NaN if there is none."""
        added, other = self.claim.added, self.of_copies
        if self.claim.unit == "share":
            low, high = np.clip(interval(self.values, self.sizes), 0, 1)
            if self.claim.of_heads and np.isnan(low):
                low, high = rule_of_three(self.value, int(np.count_nonzero(self.sizes)))
            return float(low), float(high)
        if self.without_references is not None:
            with np.errstate(divide="ignore", invalid="ignore"):  # a rate of 0 gives no bounds
                other = error_without_each(np.log(self.without_references))
        low, high = interval_of_logarithm(self.values + added, self.sizes, other)
        return float(low) - added, float(high) - added

    def minus(self, baseline: "Effect") -> Difference:
        """The difference from a baseline over the same texts; without a reference, both lack the same one."""
        own, theirs, other = self.without_references, baseline.without_references, None
        if own is not None and theirs is not None:
            other = error_without_each(self.claim.scaled(own) - self.claim.scaled(theirs))
        with np.errstate(invalid="ignore"):
            values = self.scaled - baseline.scaled
            low, high = interval(values, min(self.sizes, baseline.sizes, key=effective), other)
        return Difference(*map(float, (values[0], low, high, baseline.scaled[0])))

    def over(self, copies: Sequence["Effect"]) -> "Effect":
        """The effect divided by the mean of copies; a change is divided as a ratio.

        The error of that mean over the copies is kept, relative to it, which is that of its logarithm if it is small.
        """
        added = self.claim.added
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = np.array([copy.values for copy in copies]) + added
            mean, (error, freedom) = ratios.mean(axis=0), error_of_mean(ratios[:, 0])
            values = (self.values + added) / mean - added
            return replace(self, values=values, of_copies=OtherError(error / mean[0], freedom))


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of a subject, by name.

    texts: the sorted numbers of the texts. short: number of windows left out. causal: whether tokens attend only to
    earlier ones.
    """

    by_name: Mapping[str, Effect]
    texts: np.ndarray
    short: int = 0
    causal: bool = False


def effects_of(counted: Counted) -> dict[str, Effect]:
    """The effect of every claim, by name; NaN where it is undefined."""
    return {claim.effect: _effect(claim, counted) for claim in CLAIMS}


def _effect(claim: Claim, counted: Counted) -> Effect:
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = float(claim.chance(counted)[0]) if claim.chance else float(claim.unit == "times")
        without_references = claim.without_references(counted) if claim.without_references else None
        reason = claim.not_applicable(counted)
        return Effect(claim, claim.formula(counted), counted.sizes, chance, reason, without_references)
