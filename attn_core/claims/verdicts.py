"""Verdicts from intervals and thresholds, and comparisons with copies from intervals of differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attn_core.claims.claim import BY_EFFECT, Claim
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.models.controls import SEEDS, Control
from attn_core.models.files import COPIES
from attn_core.numerics.leave_one_out import LEAST

Verdict = Literal["supported", "contradicted", "unclear", "not applicable"]
More = Literal["yes", "no", "unclear", ""]
OF_ATTENTION = ("separators", "separator_trend")  # effects that use no pairs
OF_PLACES = ("later_reach", "reach", "late_sentences", "sentences")  # chance differs in causal models
OF_SENTENCES = ("late_sentences", "sentences")
OVER_LAYERS = ("later_reach", "reach", "sentences", "separator_trend")
AMONG_HEADS = ("own_pairs", "distinct")


@dataclass(frozen=True)
class Basis:
    """Facts that decide whether a claim is applicable.

    heads: per layer. few: no window has `MIN_PAIRS` strong pairs per head. short: number of windows left out. inside:
    share of all pairs within a sentence. separators: whether there are separator tokens. causal: whether tokens attend
    only to earlier ones.
    """

    layers: int
    heads: int
    few: bool
    short: int
    inside: float
    separators: bool
    causal: bool = False


@dataclass(frozen=True)
class Difference:
    """A model minus a baseline over the same texts, its 95 % interval, and the baseline, scaled by `Claim.scaled`."""

    value: float
    low: float
    high: float
    baseline: float


def verdict(claim: Claim, low: float, high: float) -> Verdict:
    """supported or contradicted if the whole 95 % interval lies beyond that threshold, else unclear."""
    nearest, farthest = sorted((claim.direction * low, claim.direction * high))
    if nearest > claim.direction * claim.supported:
        return "supported"
    return "contradicted" if farthest < claim.direction * claim.contradicted else "unclear"


def more_than_untrained(claim: Claim, differences: Mapping[Control, Sequence[Difference]]) -> More:
    """Whether an effect is larger in a model than in its copies; empty if a kind of copy is missing.

    "yes" if there are `SEEDS` copies of each kind, the interval of every difference lies above the margin, and the
    model exceeds all copies of a kind by more than their range. "no" if the interval of a difference is below it.
    """
    by_kind = [differences.get(kind, ()) for kind in COPIES]
    if not all(by_kind):
        return ""
    found = {_beyond(claim, difference) for of_kind in by_kind for difference in of_kind}
    if "no" in found:
        return "no"
    enough = all(
        len(of_kind) >= SEEDS and min(one.value for one in of_kind) > np.ptp([one.baseline for one in of_kind])
        for of_kind in by_kind
    )
    return "yes" if found == {"yes"} and enough else "unclear"


def needs_word_order(claim: Claim, difference: Difference | None) -> More:
    """Whether an effect is larger in the texts than in shuffled texts; empty without shuffled texts."""
    return _beyond(claim, difference) if difference else ""


def not_applicable(effect: str, basis: Basis, groups: int, untrained: int, known: bool) -> str:
    """The reason why a claim is not applicable, or "". groups: number of groups of texts. known: effect is not NaN."""
    if effect in OVER_LAYERS and basis.layers == 1:
        return "The model has one layer, so that there is no first and no last one to compare."
    if effect in AMONG_HEADS and basis.heads == 1:
        return "A layer has one head only, so that no two heads of a layer can differ."
    if effect in OF_SENTENCES and not 0 < basis.inside <= 1 / BY_EFFECT[effect].supported:
        return f"{basis.inside:.0%} of all pairs lie in one sentence, too many to see which heads prefer it."
    if effect in OF_ATTENTION and not basis.separators:
        return "There is no separator token in reach."
    if effect in OF_PLACES and basis.causal and not untrained:
        return "Attention is causal, so that chance is what untrained copies have: compare with some."
    if effect == "noise" and not known:
        return "The model reads fewer than nine in ten tokens of the reference texts, which are English."
    if groups < LEAST:
        return f"There are fewer than {LEAST} texts, or groups of them."
    if basis.few and effect not in OF_ATTENTION:
        return f"There are too few pairs: no window has {MIN_PAIRS} strong ones a head."
    return ""


def _beyond(claim: Claim, difference: Difference) -> More:
    """Whether the whole interval lies above ("yes") or below ("no") the margin."""
    if difference.low > claim.scaled_margin:
        return "yes"
    return "no" if difference.high < claim.scaled_margin else "unclear"
