"""The claims in one model of a reproduction, under our usual choice: what their picture is drawn from."""

from collections.abc import Sequence
from typing import cast

import pandas as pd

from attn_core.comparison.claims import claims_with
from attn_core.findings.bars import Unclear, Verdict
from attn_core.findings.verdicts import Finding
from attn_core.reproduction.conclusions import Standing


def claims_of(found: Sequence[Standing]) -> pd.DataFrame:
    """The claims in a model, its controls beside it, as of `claims_table`. found: its standings, without those of controls.

    Effect, interval and verdict are those of our usual choice: what the other choices say is not in them.
    """
    made = [
        Finding(
            one.bars, one.summary, cast(Verdict, one.usual), cast(Unclear, one.usual_unclear), one.reason, one.effect
        )
        for one in found
    ]
    return claims_with(made, [one for standing in found if standing.cause for one in standing.cause.contrasts])
