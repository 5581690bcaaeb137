"""stub: a row a claim."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from attn_core.claims.claim import BY_EFFECT
from attn_core.numerics.leave_one_out import interval

KINDS = ("untrained", "shuffled_weights")


@dataclass(frozen=True)
class Basis:
    layers: int
    heads: int
    few: bool
    short: int
    inside: float
    separators: bool


@dataclass(frozen=True, eq=False)
class Effects:
    values: Mapping[str, np.ndarray]
    chance: Mapping[str, float]
    sizes: np.ndarray
    texts: int
    reference_error: float
    basis: Basis


def claim_rows(own: Effects, copies: Mapping[Any, Sequence[Any]], shuffled: Any) -> pd.DataFrame:
    rows = []
    for name, values in own.values.items():
        claim = BY_EFFECT[name]
        low, high = (float(end) for end in interval(values, own.sizes))
        sign = 1 if claim.supported > claim.contradicted else -1
        verdict = "not applicable" if np.isnan(low) else "unclear"
        if min(sign * low, sign * high) > sign * claim.supported:
            verdict = "supported"
        if max(sign * low, sign * high) < sign * claim.contradicted:
            verdict = "contradicted"
        row: dict[str, Any] = {
            "claim": claim.claim, "effect": name, "value": float(values[0]), "low": low, "high": high,
            "chance": own.chance[name], "texts": own.texts, "verdict": verdict,
            "reason": "fewer than four texts" if verdict == "not applicable" else "",
        }  # fmt: skip
        beside = {kind: [pair[1] for pair in copies.get(kind, ())] for kind in KINDS}
        beside["shuffled_text"] = [shuffled[1]] if shuffled else []
        for kind, others in beside.items():
            ends = [interval(other.values[name], other.sizes) for other in others]
            row[kind] = float(np.mean([other.values[name][0] for other in others])) if others else np.nan
            row[f"{kind}_low"] = float(np.min([end[0] for end in ends])) if ends else np.nan
            row[f"{kind}_high"] = float(np.max([end[1] for end in ends])) if ends else np.nan
        row["more_than_untrained"] = "unclear" if all(beside[kind] for kind in KINDS) else ""
        row["needs_word_order"] = "unclear" if shuffled else ""
        rows.append(row)
    return pd.DataFrame(rows)
