"""The verdicts on the claims, and the claims table of one subject: effects, intervals, baselines; also for reading.

Verdicts come from intervals and thresholds, comparisons with baselines from intervals of differences.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from attn_core.claims.claim import BY_EFFECT, CLAIMS, Claim
from attn_core.claims.counted import Counted
from attn_core.measures.few_pairs import describe_left_out
from attn_core.models.controls import CONTROLS, SEEDS, Control
from attn_core.models.files import COPIES
from attn_core.numerics.leave_one_out import OtherError, effective, error_of_mean, error_without_each, interval

COLUMNS = (
    "claim", "effect", "value", "low", "high", "chance", "texts", "verdict", "reason",
    *(f"{baseline}{end}" for baseline in CONTROLS for end in ("", "_low", "_high")),
    "more_than_untrained", "needs_word_order",
)  # fmt: skip

BASELINES = ("chance", *CONTROLS)
# Headings of the columns of `readable_claims`.
HEADINGS = {
    "name": "claim", "abstract": "the abstract", "verdict": "verdict", "reason": "because",
    "number": "effect [95%]", "chance_number": "chance", "untrained_number": "untrained copies",
    "shuffled_weights_number": "shuffled weights", "shuffled_text_number": "shuffled text",
    "more_than_untrained": "more than untrained", "needs_word_order": "needs word order", "thresholds": "thresholds",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of a subject over some texts.

    values: by effect, (1 + GROUPS,), over all texts and without each group of texts. chance: by effect. reasons: by
    effect, why it is not applicable, or "". sizes: of the groups, (GROUPS,). texts: the sorted numbers of the texts.
    short: number of windows left out. causal: whether tokens attend only to earlier ones. without_references: by effect
    that depends on n reference texts, the effect without each of them, (n,). over_copies: by effect that is divided by
    the mean of copies, the error of the logarithm of that mean.
    """

    values: Mapping[str, np.ndarray]
    chance: Mapping[str, float]
    reasons: Mapping[str, str]
    sizes: np.ndarray
    texts: np.ndarray
    short: int = 0
    causal: bool = False
    without_references: Mapping[str, np.ndarray] = field(default_factory=dict)
    over_copies: Mapping[str, OtherError] = field(default_factory=dict)

    @cached_property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """The 95 % interval of each effect."""
        return {
            claim.effect: claim.bounds(self.values[claim.effect], self.sizes, self._other_error(claim.effect))
            for claim in CLAIMS
        }

    def _other_error(self, effect: str) -> OtherError | None:
        """The error of an effect, on the logarithm, that does not come from the texts."""
        if effect not in self.without_references:
            return self.over_copies.get(effect)
        with np.errstate(divide="ignore", invalid="ignore"):  # a rate of 0 gives no bounds
            return error_without_each(np.log(self.without_references[effect]))


def effects_of(counted: Counted, sizes: np.ndarray, texts: np.ndarray) -> Effects:
    """The effects of a subject from its counts. sizes: of the groups, (GROUPS,). texts: their sorted numbers."""
    found = {claim.effect: claim.value_and_chance(counted) for claim in CLAIMS}
    return Effects(
        {effect: values for effect, (values, _) in found.items()},
        {effect: chance for effect, (_, chance) in found.items()},
        {claim.effect: claim.not_applicable(counted) for claim in CLAIMS},
        sizes,
        texts,
        counted.short,
        counted.causal,
        {claim.effect: of(counted) for claim in CLAIMS if (of := claim.without_references)},
    )


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


Pair = tuple[Effects, Effects]  # of the subject and of a baseline, over their common texts
Compared = tuple[Effects, Mapping[str, Difference]]  # a baseline, and the differences from it by effect


def claim_rows(own: Effects, baselines: Mapping[Control, Sequence[Pair]]) -> pd.DataFrame:
    """One row per claim with the columns `COLUMNS`. baselines: by kind.

    Several baselines of a kind are summarised by their mean, smallest lower bound and largest upper bound. A claim that
    is not applicable has a reason and no interval. In a causal model, the effects of distances and sentences are
    relative to the mean of the untrained copies instead of chance, with its error.
    """
    pairs: dict[Control, Sequence[Pair]] = {kind: baselines.get(kind, ()) for kind in CONTROLS}
    untrained = [copy for _, copy in pairs["untrained"]]
    if own.causal and untrained:
        own = _over(own, untrained)
        pairs = {kind: [(_over(a, untrained), _over(b, untrained)) for a, b in some] for kind, some in pairs.items()}
    compared = {name: [(pair[1], differences(*pair)) for pair in some] for name, some in pairs.items()}
    return pd.DataFrame([_row(claim, own, compared) for claim in CLAIMS], columns=list(COLUMNS))


def differences(own: Effects, baseline: Effects) -> dict[str, Difference]:
    """The difference between a subject and a baseline over the same texts, by effect; both lack the same reference."""
    scaled = [np.stack([claim.scaled(one.values[claim.effect]) for claim in CLAIMS], axis=1) for one in (own, baseline)]
    with np.errstate(invalid="ignore"):
        values = scaled[0] - scaled[1]
        low, high = interval(values, min(own.sizes, baseline.sizes, key=effective), _reference_error(own, baseline))
    numbers = np.stack([values[0], low, high, scaled[1][0]], axis=1).tolist()
    return {claim.effect: Difference(*of_claim) for claim, of_claim in zip(CLAIMS, numbers, strict=True)}


def _reference_error(own: Effects, baseline: Effects) -> OtherError:
    """The error over reference texts of the differences of all effects; 0 for those that depend on none."""
    errors, freedom = np.zeros(len(CLAIMS)), 1.0
    for at, claim in enumerate(CLAIMS):
        if claim.effect in own.without_references and claim.effect in baseline.without_references:
            of_own, of_baseline = (claim.scaled(one.without_references[claim.effect]) for one in (own, baseline))
            errors[at], freedom = error_without_each(of_own - of_baseline)
    return OtherError(errors, freedom)


def _row(claim: Claim, own: Effects, compared: Mapping[Control, Sequence[Compared]]) -> dict[str, object]:
    value, (low, high) = float(own.values[claim.effect][0]), own.bounds[claim.effect]
    reason = own.reasons[claim.effect]
    if claim.over_copies and own.causal and len(compared["untrained"]) < SEEDS:
        reason = f"Attention is causal, so that chance is what untrained copies have: compare with at least {SEEDS}."
    found = {name: [values[claim.effect] for _, values in some if not reason] for name, some in compared.items()}
    row: dict[str, object] = {
        "claim": claim.claim, "effect": claim.effect, "value": value, "low": np.nan if reason else low,
        "high": np.nan if reason else high, "chance": own.chance[claim.effect], "texts": len(own.texts),
        "verdict": "not applicable" if reason else verdict(claim, low, high),
        "reason": reason or describe_left_out(own.short),
        "more_than_untrained": more_than_untrained(claim, found),
        "needs_word_order": needs_word_order(claim, found),
    }  # fmt: skip
    for name, some in compared.items():
        row |= _baseline(claim.effect, name, [baseline for baseline, _ in some])
    return row


def _baseline(effect: str, name: str, several: Sequence[Effects]) -> dict[str, float]:
    """The columns of a baseline; NaN if there is none, or if a copy has no interval."""
    if not several:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), np.nan)
    values, lows, highs = np.array([(one.values[effect][0], *one.bounds[effect]) for one in several]).T
    return {name: float(values.mean()), f"{name}_low": float(lows.min()), f"{name}_high": float(highs.max())}


def _over(effects: Effects, copies: Sequence[Effects]) -> Effects:
    """Effects with those of distances and sentences divided by the mean of copies; a change is divided as a ratio.

    The error of that mean over the copies is kept, relative to it, which is that of its logarithm if it is small.
    """
    values, errors = dict(effects.values), {}
    with np.errstate(invalid="ignore", divide="ignore"):
        for claim in (one for one in CLAIMS if one.over_copies):
            ratios = np.array([copy.values[claim.effect] for copy in copies]) + claim.added
            mean, (error, freedom) = ratios.mean(axis=0), error_of_mean(ratios[:, 0])
            values[claim.effect] = (values[claim.effect] + claim.added) / mean - claim.added
            errors[claim.effect] = OtherError(error / mean[0], freedom)
    return replace(effects, values=values, over_copies=errors)


def readable_claims(claims: pd.DataFrame) -> pd.DataFrame:
    """Claims with names, thresholds and formatted numbers, which are empty if a claim is not applicable.

    `number` is the effect and `<baseline>_number` a baseline, each with its interval if it has one.
    """
    claims = claims.assign(
        **{name: claims[name].where(claims["verdict"] != "not applicable") for name in ("value", *BASELINES)}
    )
    return pd.DataFrame([row | _words_of(BY_EFFECT[str(row["effect"])], row) for row in claims.to_dict("records")])


def _words_of(claim: Claim, row: Mapping[Hashable, Any]) -> dict[Hashable, Any]:
    return {
        "name": claim.name, "abstract": claim.quotation, "row": claim.heading, "label": claim.label,
        "number": _number(claim, row, "value", "low", "high"),
        **{f"{name}_number": _number(claim, row, name, f"{name}_low", f"{name}_high") for name in BASELINES},
        "supported": claim.supported, "contradicted": claim.contradicted,
        "supported_number": claim.number(claim.supported), "contradicted_number": claim.number(claim.contradicted),
        "thresholds": f"{claim.rule} (ours)",
    }  # fmt: skip


def _number(claim: Claim, row: Mapping[Hashable, Any], name: str, low: str, high: str) -> str:
    """A formatted number with its interval, if any; empty for NaN."""
    value, ends = row[name], [row.get(end, np.nan) for end in (low, high)]
    if np.isnan(value):
        return ""
    if np.isnan(ends).any():
        return claim.number(value)
    return f"{claim.number(value)} [{', '.join(claim.number(end).removesuffix('%') for end in ends)}]"
