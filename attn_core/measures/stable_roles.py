"""Stable roles: the roles of heads that depend neither on the measure of similarity nor on the share of strong pairs.

The role of a head at the scalar product and 1 % is stable if the head has it in more than half, and at least `LEAST`,
of those of nine settings (three measures, three shares) that give `MIN_PAIRS` strong pairs per head. An anchor must be
the same token. Copies that never learned have next to no stable role; a plain role is as common in them.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from attn_core.measures.anchors import anchor_columns
from attn_core.measures.frames import head_frame
from attn_core.measures.roles import ANCHOR, FEW, MIXED, NAMES, ROLES, roles_of
from attn_core.measures.statistics import BY_NAME, LIKE_DISTANCE, statistic_columns
from attn_core.measures.tally import MeasuredWindow, Tally
from attn_core.measures.token_coverage import TokenCoverage, added
from attn_core.similarity.strong_pairs import MEASURES, Measure

SHARES = (0.003, 0.01, 0.03)
SETTINGS: dict[str, tuple[Measure, float]] = {f"{m}_{100 * share:g}": (m, share) for m in MEASURES for share in SHARES}
CHOSEN = "dot_1"  # the setting whose role is stable or not
LEAST = 5
STABLE = "stable_role"  # the column
COUNTED = (*(BY_NAME[role.statistic] for role in ROLES if role is not ANCHOR), LIKE_DISTANCE)


class RoleCounts:
    """The sums, over windows, of the counts that roles are computed from, under one setting."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._touching: list[TokenCoverage] = []

    def add(self, window: MeasuredWindow) -> None:
        """Add a window."""
        for statistic in COUNTED:
            assert statistic.count is not None
            self._tally.add_each(statistic.name, [statistic.count(window)])
        self._touching = [added([*self._touching, window.touched])]

    @property
    def heads(self) -> pd.DataFrame:
        """One row per head: the columns of the heads table that roles are computed from."""
        (touching,) = self._touching
        layers, heads, _ = touching.pairs.shape
        anchors = {
            name: values for name, values in anchor_columns(touching).items() if name != "anchor"
        }  # strings: slow
        columns = {"pairs": touching.strong, "windows": touching.windows, **anchors}
        return head_frame(columns | statistic_columns(self._tally, COUNTED, layers * heads), layers, heads)


def stable_roles(heads: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One row per head: layer, head, stable_role, settings, and the role under each of `SETTINGS`.

    heads: by setting, from `RoleCounts`. settings: the number of settings in which the head has its role at `CHOSEN`.
    """
    roles = {name: roles_of(of_setting) for name, of_setting in heads.items()}
    own, anchors = roles[CHOSEN], heads[CHOSEN]["anchor_id"].to_numpy()
    same = np.array(
        [(roles[name] == own) & ((own != ANCHOR.name) | (of["anchor_id"] == anchors)) for name, of in heads.items()]
    )
    able = np.array([of_setting != FEW for of_setting in roles.values()]).sum(axis=0)
    agree = np.where(own == FEW, 0, same.sum(axis=0))
    stable = np.where((agree >= LEAST) & (2 * agree > able), own, np.where(own == FEW, FEW, MIXED))
    return heads[CHOSEN][["layer", "head"]].assign(**{STABLE: stable, "settings": agree, **roles})


def with_stable(heads: pd.DataFrame, roles: pd.DataFrame | None) -> pd.DataFrame:
    """The heads table with the column stable: whether the role of a head is its stable role, None if not known.

    roles: from `stable_roles`; None if it is not known.
    """
    if roles is None:
        return heads.assign(stable=None)
    return heads.assign(stable=(heads["role"] == roles[STABLE]) & heads["role"].isin(NAMES))
