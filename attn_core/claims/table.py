"""stub"""

from dataclasses import dataclass

import numpy as np
import pandas as pd


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
    values: dict
    chance: dict
    sizes: np.ndarray
    texts: int
    reference_error: float
    basis: Basis


def claim_rows(own, copies, shuffled):
    return pd.DataFrame(
        [
            {
                "claim": "C",
                "effect": n,
                "value": v[0],
                "low": 0.0,
                "high": 1.0,
                "chance": own.chance[n],
                "texts": own.texts,
                "verdict": "unclear",
                "reason": "",
                "more_than_untrained": "",
            }
            for n, v in own.values.items()
        ]
    )
