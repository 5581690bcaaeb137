"""The role of a head: the property that distinguishes its strong pairs best from random pairs.

A property qualifies if it exceeds chance by `MIN_EXCESS` and significantly (`is_above_chance`). The role is the one of
most information in bits per pair: 50 % where chance is 2 % has more than 65 % where chance is 13 %. The qualifying
property of next most information is the second role. Names and thresholds are our choice; the paper describes heads
that pair repetitions of one token and heads that pair a common token with its surroundings.

To add a role, add a line to `ROLES`, and one to `LOOKS` of `charts.role_words`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.measures.few_pairs import MIN_EXCESS, information, is_above_chance, too_few


@dataclass(frozen=True)
class Role:
    """A role of heads: the share `statistic` of their strong pairs is above chance.

    like: the column of a chance level other than that of the statistic.
    """

    name: str
    statistic: str
    like: str = ""

    @property
    def chance(self) -> str:
        """The column of its chance level."""
        return self.like or f"chance_{self.statistic}"


ANCHOR = Role("anchor", "anchor_coverage")
ROLES = (
    Role("repetition", "other_repetition_share"),
    Role("neighbours", "near_share"),
    Role("nearby", "nearby_share"),
    Role("separators", "separator_share"),
    Role("sentence", "same_sentence_share", like="like_distance_same_sentence_share"),
    ANCHOR,
)
MIXED = "mixed"
FEW = "too few pairs"  # where no window has `MIN_PAIRS`: no role is given
REMOVED = "removed"  # in place of a role, where a head has no statistics
TOKENS = ("anchor", "repeated_tokens")  # columns of the heads table that name tokens
NAMES = tuple(role.name for role in ROLES)
BY_NAME = {role.name: role for role in ROLES}


def assign_roles(heads: pd.DataFrame) -> pd.DataFrame:
    """A frame with the columns role and second_role ("" for none), one row per head.

    The chance level of "sentence" is that at like distance. A separator cannot make a head an "anchor" head.
    """
    bits = role_bits(heads)
    second = np.argsort(-bits, axis=1, kind="stable")[:, 1]
    has = bits[range(len(heads)), second] > 0
    names = np.where(has, np.array(NAMES, dtype=object)[second], "")
    return pd.DataFrame({"role": roles_of(heads), "second_role": names}, index=heads.index)


def roles_of(heads: pd.DataFrame) -> np.ndarray:
    """The name of the role of each head, (head,); `REMOVED` without statistics."""
    bits, none = role_bits(heads), FEW if too_few(heads) else MIXED
    roles = np.where(bits.max(axis=1) > 0, np.array(NAMES, dtype=object)[bits.argmax(axis=1)], none)
    return np.where(heads[ANCHOR.statistic].isna(), REMOVED, roles)


def role_bits(heads: pd.DataFrame) -> np.ndarray:
    """The information of the role and second role of each head in bits per pair, (head, role); 0 for other roles."""
    share, chance = role_shares(heads)
    bits = information(share, chance)
    bits[heads["anchor_is_separator"].to_numpy(bool), ROLES.index(ANCHOR)] = 0.0
    pairs = 0 if too_few(heads) else heads["pairs"].to_numpy()[:, None]
    bits[~is_above_chance(share, chance, pairs)] = 0.0
    return np.where(bits >= np.sort(bits, axis=1)[:, [-2]], bits, 0.0)


def role_shares(heads: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The share of strong pairs with each role's property, and its chance level, (head, role) each."""
    share, chance = (
        np.column_stack([heads[name].to_numpy(np.float64) for name in names])
        for names in ([role.statistic for role in ROLES], [role.chance for role in ROLES])
    )
    return share, chance


def role_counts(roles: Sequence[str] | pd.Series) -> pd.Series:
    """The number of heads with each role, in the order of `names_for`."""
    return pd.Series(roles).value_counts().reindex(names_for(roles), fill_value=0)


def names_for(roles: Iterable[str]) -> list[str]:
    """The names of all roles in order, then "mixed", then "too few pairs" and "removed" if they occur in `roles`."""
    return [*NAMES, MIXED, *(name for name in (FEW, REMOVED) if name in set(roles))]


MOST = 4  # heads that are named on Home


@dataclass(frozen=True)
class Notable:
    """A notable head: its role, the share of its strong pairs, the chance level, and the largest share in each copy."""

    head: Head
    role: str
    share: float
    chance: float
    copies: Mapping[str, float]


def clearest_head(heads: pd.DataFrame) -> Head:
    """The head whose role has the most information; the first head if no head has a role."""
    row = heads.iloc[int(role_bits(heads).max(axis=1).argmax())]
    return Head.of_row(row["layer"], row["head"])


def notable_heads(
    heads: pd.DataFrame, stable: Sequence[bool] | pd.Series, copies: Mapping[str, pd.DataFrame]
) -> list[Notable]:
    """For each role the head of most information, among those of which it is the stable role, in falling order of it.

    They are at most `MOST`. stable: whether the role of each head is stable. copies: name -> heads table of a copy.
    Roles for which a head of a copy is within `MIN_EXCESS` are left out.
    """
    (share, chance), bits = role_shares(heads), role_bits(heads)
    bits = np.where(bits < bits.max(axis=1, keepdims=True), 0.0, bits)  # the second role of a head is not its role
    bits[~np.asarray(stable)] = 0.0
    most = {name: role_shares(copy)[0].max(axis=0) for name, copy in copies.items()}
    notable = list[Notable]()
    for at in np.argsort(-bits.max(axis=0), kind="stable"):
        top, of_copies = int(bits[:, at].argmax()), {name: float(shares[at]) for name, shares in most.items()}
        if bits[top, at] and all(share[top, at] - other >= MIN_EXCESS for other in of_copies.values()):
            head = Head.of_row(*heads[["layer", "head"]].iloc[top])
            notable.append(Notable(head, NAMES[at], share[top, at], chance[top, at], of_copies))
    return notable[:MOST]
