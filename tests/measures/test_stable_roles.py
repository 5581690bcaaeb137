"""Stable roles: in how many of nine settings a head must have its role."""

from collections.abc import Sequence

import pandas as pd
import pytest

from attn_core.measures.roles import ROLES
from attn_core.measures.stable_roles import CHOSEN, SETTINGS, stable_roles, with_stable


def heads_with(role: str, anchor: int = 0, pairs: int = 1000) -> pd.DataFrame:
    """The row of a head with a role, or none."""
    row: dict[str, object] = {"layer": 1, "head": 1, "pairs": pairs, "windows": 1, "anchor_id": anchor}
    row |= {"anchor_is_separator": False}
    for one in ROLES:
        row[one.statistic], row[one.chance] = 0.7 if one.name == role else 0.1, 0.1
    return pd.DataFrame([row])


def stable_role(chosen: pd.DataFrame, others: Sequence[pd.DataFrame]) -> tuple[str, int]:
    """The stable role of a head, and in how many settings it has it. others: of the eight other settings."""
    of_others = dict(zip([name for name in SETTINGS if name != CHOSEN], others, strict=True))
    (row,) = stable_roles({CHOSEN: chosen, **of_others}).to_dict("records")
    return row["stable_role"], row["settings"]


NEAR, MIXED, FEW = heads_with("neighbours"), heads_with(""), heads_with("neighbours", pairs=29)


@pytest.mark.parametrize(
    ("chosen", "others", "expected"),
    [
        (NEAR, [NEAR] * 8, ("neighbours", 9)), (NEAR, [NEAR] * 4 + [MIXED] * 4, ("neighbours", 5)),
        (NEAR, [NEAR] * 3 + [MIXED] * 5, ("mixed", 4)), (MIXED, [NEAR] * 8, ("mixed", 1)),
        # Of seven settings with enough pairs five are more than half, of six four are not enough.
        (NEAR, [NEAR] * 4 + [MIXED] * 2 + [FEW] * 2, ("neighbours", 5)),
        (NEAR, [NEAR] * 3 + [MIXED] * 2 + [FEW] * 3, ("mixed", 4)),
        (FEW, [FEW] * 2 + [NEAR] * 6, ("too few pairs", 0)),
        (heads_with("anchor", 7), [heads_with("anchor", 7)] * 4 + [MIXED] * 4, ("anchor", 5)),
        (heads_with("anchor", 7), [heads_with("anchor", 7)] * 3 + [heads_with("anchor", 8)] * 5, ("mixed", 4)),
    ],
)  # fmt: skip
def test_a_role_is_stable_in_more_than_half_of_the_settings_and_at_least_five(
    chosen: pd.DataFrame, others: Sequence[pd.DataFrame], expected: tuple[str, int]
) -> None:
    assert stable_role(chosen, others) == expected


@pytest.mark.parametrize(
    ("role", "stable_role", "expected"),
    [("nearby", "nearby", True), ("nearby", "mixed", False), ("anchor", "nearby", False),
     ("mixed", "mixed", False), ("too few pairs", "too few pairs", False)],
)  # fmt: skip
def test_a_role_under_any_setting_is_stable_if_it_is_the_stable_role(
    role: str, stable_role: str, expected: bool
) -> None:
    heads = pd.DataFrame({"role": [role]})
    assert with_stable(heads, pd.DataFrame({"stable_role": [stable_role]}))["stable"].item() is expected
    assert with_stable(heads, None)["stable"].item() is None
