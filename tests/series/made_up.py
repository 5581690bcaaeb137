"""Rows of the claims at some steps, made up."""

from collections.abc import Mapping, Sequence

import pandas as pd
from attn_core.findings.bars import BY_EFFECT


def claims(learned: Mapping[str, Sequence[str]], steps: Sequence[int] = (0,), value: float = 0.1) -> pd.DataFrame:
    """The table claims of a series: what is said of learning at each step, by effect; the numbers are the same at every step."""
    numbers = {
        "value": value,
        "low": value - 0.1,
        "high": value + 0.1,
        "chance": 0.0,
        "untrained": 0.0,
        "permuted": 0.05,
    }
    numbers |= {f"beyond_{kind}{end}": 0.1 for kind in ("untrained", "permuted") for end in ("", "_low", "_high")}
    return pd.DataFrame(
        {"step": step, "claim": BY_EFFECT[effect].claim, "topic": BY_EFFECT[effect].topic, "effect": effect,
         "verdict": "no clear sign", "unclear": "small", "learned": words[at], **numbers}
        for at, step in enumerate(steps) for effect, words in learned.items()
    )  # fmt: skip
