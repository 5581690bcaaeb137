"""The verdicts on the claims, and the claims table of one subject: effects, intervals, baselines; also for reading.

Verdicts come from intervals and thresholds, comparisons with baselines from intervals of differences.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from attn_core.claims.claim import BY_EFFECT, CLAIMS, Claim
from attn_core.claims.effects import Difference, Effect, Effects
from attn_core.measures.few_pairs import describe_left_out
from attn_core.models.baselines import CONTROLS, SEEDS, Control
from attn_core.models.files import COPIES

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

Verdict = Literal["supported", "contradicted", "unclear", "not applicable"]


def verdict(claim: Claim, low: float, high: float) -> Verdict:
    """supported or contradicted if the whole 95 % interval lies beyond that threshold, else unclear."""
    nearest, farthest = sorted((claim.direction * low, claim.direction * high))
    if nearest > claim.direction * claim.supported:
        return "supported"
    return "contradicted" if farthest < claim.direction * claim.contradicted else "unclear"


def exceeds(claim: Claim, by_kind: Sequence[Sequence[Difference]]) -> str:
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


def claim_rows(own: Effects, baselines: Mapping[Control, Sequence[Effects]]) -> pd.DataFrame:
    """One row per claim with the columns `COLUMNS`. baselines: by kind, over the same texts.

    Several baselines of a kind are summarised by their mean, smallest lower bound and largest upper bound. A claim that
    is not applicable has a reason and no interval. In a causal model, the effects of distances and sentences are
    relative to the mean of the untrained copies instead of chance, with its error.
    """
    return pd.DataFrame([_row(claim, own, baselines) for claim in CLAIMS], columns=list(COLUMNS))


def _row(claim: Claim, own: Effects, baselines: Mapping[Control, Sequence[Effects]]) -> dict[str, object]:
    effect = own.by_name[claim.effect]
    others = {kind: [one.by_name[claim.effect] for one in baselines.get(kind, ())] for kind in CONTROLS}
    copies, reason = others["untrained"], effect.reason
    if claim.over_copies and own.causal and len(copies) < SEEDS:
        reason = f"Attention is causal, so that chance is what untrained copies have: compare with at least {SEEDS}."
    if claim.over_copies and own.causal and copies:
        effect, others = effect.over(copies), {kind: [one.over(copies) for one in of] for kind, of in others.items()}
    low, high = (np.nan, np.nan) if reason else effect.bounds
    differences = {kind: [effect.minus(one) for one in of if not reason] for kind, of in others.items()}
    row: dict[str, object] = {
        "claim": claim.claim, "effect": claim.effect, "value": effect.value, "low": low, "high": high,
        "chance": effect.chance, "texts": len(own.texts),
        "verdict": "not applicable" if reason else verdict(claim, low, high),
        "reason": reason or describe_left_out(own.short),
        "more_than_untrained": exceeds(claim, [differences[kind] for kind in COPIES]),
        "needs_word_order": exceeds(claim, [differences["shuffled_text"]]),
    }  # fmt: skip
    for kind, of in others.items():
        row |= _baseline(kind, of)
    return row


def _baseline(name: str, several: Sequence[Effect]) -> dict[str, float]:
    """The columns of a baseline; NaN if there is none, or if a copy has no interval."""
    if not several:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), np.nan)
    values, lows, highs = np.array([(one.value, *one.bounds) for one in several]).T
    return {name: float(values.mean()), f"{name}_low": float(lows.min()), f"{name}_high": float(highs.max())}


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
