"""The table of claims of one subject: every effect with its interval, its verdict, and what its baselines have of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from attn_core.claims import verdicts
from attn_core.claims.claim import CLAIMS, Claim
from attn_core.claims.verdicts import COPIES, OF_PLACES, Basis, Difference
from attn_core.measures.effects import LOGARITHMIC, bounds
from attn_core.measures.few_pairs import left_out_in_words
from attn_core.numerics.leave_one_out import effective, interval

BASELINES = (*COPIES, "shuffled_text")
COLUMNS = (
    "claim", "effect", "value", "low", "high", "chance", "texts", "verdict", "reason",
    *(f"{baseline}{end}" for baseline in BASELINES for end in ("", "_low", "_high")), "more_than_untrained", "needs_word_order",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of a subject in some texts.

    values: by effect, over all texts and without each group of them, (1 + GROUPS,). chance: by effect. sizes: (GROUPS,), of the
    groups. texts: how many there are. reference_error: the standard error over reference texts of the logarithm of the noise.
    """

    values: Mapping[str, np.ndarray]
    chance: Mapping[str, float]
    sizes: np.ndarray
    texts: int
    reference_error: float
    basis: Basis


Pair = tuple[Effects, Effects]  # of the subject and of a baseline, over the texts that both have


def claim_rows(own: Effects, copies: Mapping[str, Sequence[Pair]], shuffled_text: Pair | None) -> pd.DataFrame:
    """One row a claim, columns `COLUMNS`.

    Of several copies of a kind: the mean of their values, the smallest lower and the largest upper bound of their own intervals.
    What is not applicable has its reason, and no interval. Of a causal model distances and sentences are over the mean of the
    untrained copies, which takes the place of chance.
    """
    pairs: dict[str, Sequence[Pair]] = {**copies, "shuffled_text": [shuffled_text] if shuffled_text else []}
    untrained = [copy for _, copy in copies.get("untrained", ())]
    if own.basis.causal and untrained:
        own = _over(own, untrained)
        pairs = {name: [(_over(a, untrained), _over(b, untrained)) for a, b in some] for name, some in pairs.items()}
    return pd.DataFrame([_row(claim, own, pairs) for claim in CLAIMS], columns=list(COLUMNS))


def difference(claim: Claim, pair: Pair) -> Difference:
    """What a subject has more of an effect than a baseline; of the noise over reference texts as well."""
    own, baseline = (claim.scaled(effects.values[claim.effect]) for effects in pair)
    error = np.hypot(pair[0].reference_error, pair[1].reference_error) if claim.effect == "noise" else 0.0
    with np.errstate(invalid="ignore"):
        low, high = interval(own - baseline, min((effects.sizes for effects in pair), key=effective), error)
    return Difference(float(own[0] - baseline[0]), float(low), float(high), float(baseline[0]))


def _row(claim: Claim, own: Effects, pairs: Mapping[str, Sequence[Pair]]) -> dict[str, object]:
    value, low, high = _bounded(claim, own)
    groups, untrained = int(np.count_nonzero(own.sizes)), len(pairs.get("untrained", ()))
    reason = verdicts.not_applicable(claim.effect, own.basis, groups, untrained, not np.isnan(value))
    to_baselines = {name: [difference(claim, pair) for pair in pairs.get(name, ()) if not reason] for name in BASELINES}
    row: dict[str, object] = {
        "claim": claim.claim, "effect": claim.effect, "value": value, "low": np.nan if reason else low,
        "high": np.nan if reason else high, "chance": own.chance[claim.effect], "texts": own.texts,
        "verdict": "not applicable" if reason else verdicts.verdict(claim, low, high),
        "reason": reason or left_out_in_words(own.basis.short),
        "more_than_untrained": verdicts.more_than_untrained(claim, to_baselines),
        "needs_word_order": verdicts.needs_word_order(claim, next(iter(to_baselines["shuffled_text"]), None)),
    }  # fmt: skip
    for name in BASELINES:
        row |= _baseline(claim, name, [baseline for _, baseline in pairs.get(name, ())])
    return row


def _bounded(claim: Claim, effects: Effects) -> tuple[float, float, float]:
    """The effect and the bounds of its 95 % interval."""
    values = effects.values[claim.effect]
    return float(values[0]), *bounds(claim.effect, values, effects.sizes, effects.reference_error)


def _baseline(claim: Claim, name: str, several: Sequence[Effects]) -> dict[str, float]:
    """The columns of a baseline; NaN where there is none, and where one of several has no interval."""
    if not several:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), np.nan)
    values, lows, highs = np.array([_bounded(claim, effects) for effects in several]).T
    return {name: float(values.mean()), f"{name}_low": float(lows.min()), f"{name}_high": float(highs.max())}


def _over(effects: Effects, copies: Sequence[Effects]) -> Effects:
    """The same, those of distances and sentences over their mean in copies; of changes as ratios."""
    over = {}
    for name in OF_PLACES:
        added = LOGARITHMIC[name]
        mean = np.mean([copy.values[name] for copy in copies], axis=0) + added
        with np.errstate(invalid="ignore", divide="ignore"):
            over[name] = (effects.values[name] + added) / mean - added
    return replace(effects, values={**effects.values, **over})
