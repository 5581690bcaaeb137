"""Stable roles in each text of a study: the share of texts with each, and how often two texts agree on them.

A shard has the table `roles`, a row per text (or part of a long one): text, part, group, and `role` (H,), the place of
each head's stable role in `ROLES`. Texts without a window of `MIN_PAIRS` strong pairs per head at 1 % have no row.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.analysis.role_counts import RolesBySetting
from attn_core.measures.frames import head_frame
from attn_core.measures.roles import MIXED, NAMES
from attn_core.measures.stable_roles import STABLE, stable_roles
from attn_core.numerics.leave_one_out import inclusion, interval, sizes
from attn_core.runs.shards import numbers, tables_named
from attn_core.study.opened import Record

ROLES = (*NAMES, MIXED)


def role_row(counts: RolesBySetting) -> dict[str, object]:
    """The stable roles of a text, for the table of its shard."""
    table = stable_roles({name: of_setting.heads for name, of_setting in counts.items()})
    return {"role": np.array([ROLES.index(role) for role in table[STABLE]], dtype=np.int32)}


def role_tables(folder: Path, record: Record) -> dict[str, pd.DataFrame]:
    """The tables text_roles and role_agreement of a subject; none if no stable role was counted.

    text_roles: a row per head and role: the share of texts in which it is the head's stable role. role_agreement: one
    row, see `agreement`. folder: of the shards.
    """
    shards = list(tables_named(folder, "roles"))
    if not shards:
        return {}
    every = pa.concat_tables(shards)
    texts, at = np.unique(numbers(every["text"]), return_inverse=True)
    groups = np.zeros(len(texts), dtype=np.int64)
    groups[at] = numbers(every["group"])
    of_parts = np.eye(len(ROLES))[numbers(every["role"])]  # (part, head, role)
    has = np.zeros((len(texts), *of_parts.shape[1:]))
    np.add.at(has, at, of_parts / np.bincount(at)[at, None, None])  # parts of a text count as one text
    columns = {"role": np.tile(np.array(ROLES, dtype=object), has.shape[1]), "share": has.mean(axis=0)}
    stable = has[:, ~record.removed.ravel(), :-1]
    return {
        "text_roles": record.kept(head_frame(columns, *record.shape, len(ROLES))),
        "role_agreement": pd.DataFrame([{"texts": len(texts), **agreement(stable, groups)}]),
    }


def agreement(has: np.ndarray, groups: np.ndarray) -> dict[str, float]:
    """How often two texts of different groups agree on the stable role of a head, with 95 % intervals over groups.

    stable: the share of heads with a stable role, mean over texts. same_role: of the heads that have one in both texts,
    the share with the same. kept: of those that have one in the first text, the share with the same in the second.
    has: (text, head, role), whether a head has each stable role. groups: (text,).
    """
    names, at = np.unique(groups, return_inverse=True)
    by_group = np.zeros((len(names), *has.shape[1:]))
    np.add.at(by_group, at, has)
    texts, taken = np.bincount(at), inclusion(names)

    def pairs(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """The sum of products over ordered pairs of different groups in each row, (R, ...) -> (R,)."""
        one, other = one.reshape(len(names), -1), other.reshape(len(names), -1)
        return ((taken @ one) * (taken @ other) - taken @ (one * other)).sum(axis=1)

    stable = by_group.sum(axis=2)
    same = pairs(by_group, by_group)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = {
            "stable": (taken @ stable).mean(axis=1) / (taken @ texts),
            "same_role": same / pairs(stable, stable),
            "kept": same / pairs(stable, np.broadcast_to(texts[:, None], stable.shape)),
        }
    columns: dict[str, float] = {}
    for name, of_rows in values.items():
        low, high = np.clip(interval(of_rows, sizes(names, texts)), 0, 1)
        columns |= {name: float(of_rows[0]), f"{name}_low": float(low), f"{name}_high": float(high)}
    return columns
