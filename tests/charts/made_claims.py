"""Made-up claims of one subject, as a study's table has them."""

import numpy as np
import pandas as pd

from attn_core.claims.claim import CLAIMS

BASELINES = ("untrained", "shuffled_weights", "shuffled_text")


def made_claims() -> pd.DataFrame:
    """All claims, each supported by half of what lies between its thresholds, but C6, which is not applicable."""
    rows = []
    for claim in CLAIMS:
        step = claim.supported - claim.contradicted
        low, high = sorted((claim.supported + step / 4, claim.supported + step))
        none = claim.claim == "C6"
        row = {
            "claim": claim.claim, "effect": claim.effect, "value": claim.supported + step / 2, "chance": claim.contradicted,
            "low": np.nan if none else low, "high": np.nan if none else high,
            "texts": 9, "verdict": "not applicable" if none else "supported", "reason": "No separator." if none else "",
            "more_than_untrained": "" if none else "yes", "needs_word_order": "",
            **dict.fromkeys(BASELINES[:2], claim.contradicted), "shuffled_text": np.nan,
            **{f"{name}_{end}": np.nan for name in BASELINES for end in ("low", "high")},
        }  # fmt: skip
        rows.append(row)
    return pd.DataFrame(rows)


def made_settings() -> pd.DataFrame:
    """The first of them under four settings, each with a larger effect than the one before."""
    one = made_claims().iloc[[0] * 4].reset_index(drop=True)
    return one.assign(
        value=one["value"] + [0.0, 0.01, 0.02, 0.03], share=[0.01, 0.1] * 2, special=["in", "in", "out", "out"]
    )


def made_cells() -> pd.DataFrame:
    """All of them as cells of a grid, beside a second column."""
    cells = made_claims().assign(name=[claim.name for claim in CLAIMS], number="9% [8, 10]", how_many="3 of 4 settings")
    cells = cells.assign(most=True, chosen=False)
    return pd.concat([cells.assign(subject=name, column=name) for name in ("<a>", "b, untrained copy 1")])
