"""The role of a head: the property that distinguishes its strong pairs best from random pairs.

A property qualifies if it exceeds chance by `MIN_EXCESS` and significantly (`is_above_chance`). The role is the one of
most information in bits per pair: 50 % where chance is 2 % has more than 65 % where chance is 13 %. The qualifying
property of next most information is the second role. Names and thresholds are our choice; the paper describes heads
that pair repetitions of one token and heads that pair a common token with its surroundings.

To add a role, add a line to `ROLES`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attn_core.head import Head
from attn_core.measures.few_pairs import MIN_EXCESS, MIN_PAIRS, information, is_above_chance, too_few
from attn_core.measures.repetition import name_repeated
from attn_core.texts.token_names import quoted


@dataclass(frozen=True)
class Role:
    """A role of heads: the share `statistic` of their strong pairs is above chance.

    short: abbreviation for table cells. meaning: predicate of the pairs. colour: from Okabe and Ito's palette. like:
    the column of a chance level other than that of the statistic. names: function from a row of the heads table to the
    tokens of the role, as text.
    """

    name: str
    short: str
    statistic: str
    meaning: str
    colour: str
    like: str = ""
    names: Callable[[Mapping[str, str]], str] = lambda _head: ""

    @property
    def chance(self) -> str:
        """The column of its chance level."""
        return self.like or f"chance_{self.statistic}"


ANCHOR = Role(
    "anchor",
    "anch",
    "anchor_coverage",
    "touch its anchor token",
    "#cc79a7",
    names=lambda head: f" {quoted(head['anchor'])}",
)
ROLES = (
    Role(
        "repetition", "rep", "other_repetition_share",
        "are one token twice, without the token that it repeats most", "#e69f00",
        names=lambda head: f" ({name_repeated(head)})",
    ),
    Role("neighbours", "near", "near_share", "are at most two tokens apart", "#56b4e9"),
    Role("nearby", "mid", "nearby_share", "are 3 to 16 tokens apart", "#0072b2"),
    Role("separators", "sep", "separator_share", "touch [SEP] or the end of a sentence", "#d55e00"),
    Role(
        "sentence", "sent", "same_sentence_share", "lie inside one sentence", "#009e73",
        like="like_distance_same_sentence_share",
    ),
    ANCHOR,
)  # fmt: skip
MIXED = Role("mixed", "mix", "", "", "#c9ccd1")
TOKENS = ("anchor", "repeated_tokens")  # columns of the heads table that name tokens
FEW = Role("too few pairs", "", "", "", "#e3e3e3")  # where no window has `MIN_PAIRS`: no role is given
NAMES = tuple(role.name for role in ROLES)
BY_NAME = {role.name: role for role in (*ROLES, MIXED, FEW)}


def assign_roles(heads: pd.DataFrame) -> pd.DataFrame:
    """A frame with the columns role, second_role ("" for none) and role_rule, one row per head.

    The chance level of "sentence" is that at like distance. A separator cannot make a head an "anchor" head.
    """
    share, chance = role_shares(heads)
    few = too_few(heads)
    excess, bits = share - chance, role_bits(heads)
    first, next_ = np.argsort(-bits, axis=1, kind="stable")[:, :2].T
    row = range(len(heads))
    named, second = bits[row, first] > 0, bits[row, next_] > 0
    best = np.where(named, first, excess.argmax(axis=1))
    tokens = heads[list(TOKENS)].to_dict("records")

    def rule(h: int, i: int) -> str:
        meaning = f"{ROLES[i].meaning}{ROLES[i].names(tokens[h])}"
        expected = (
            f"{'at like distance' if ROLES[i].like else 'chance'} {chance[h, i]:.0%} ({bits[h, i]:.1f} bits per pair)"
        )
        return f"{share[h, i]:.0%} of its strong pairs {meaning}; {expected}"

    rules = [
        rule(h, best[h]) + (f". Second, {NAMES[next_[h]]}: {rule(h, next_[h])}" if second[h] else "")
        if named[h]
        else _no_rule(ROLES[best[h]], excess[h, best[h]], few)
        for h in row
    ]
    return pd.DataFrame(
        {
            "role": np.where(named, np.array(NAMES)[best], FEW.name if few else MIXED.name),
            "second_role": np.where(second, np.array(NAMES, dtype=object)[next_], ""),
            "role_rule": rules,
        },
        index=heads.index,
    )


def roles_of(heads: pd.DataFrame) -> np.ndarray:
    """The name of the role of each head, (head,)."""
    if too_few(heads):
        return np.full(len(heads), FEW.name, dtype=object)
    bits = role_bits(heads)
    return np.where(bits.max(axis=1) > 0, np.array(NAMES, dtype=object)[bits.argmax(axis=1)], MIXED.name)


def describe_role(head: pd.Series) -> str:
    """The roles of a head with their tokens, as text. head: a row of the heads table."""
    return ", then ".join(name + BY_NAME[name].names(head) for name in (head["role"], head["second_role"]) if name)


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
    """The names of all roles in order, then "mixed", then "too few pairs" if it occurs in `roles`."""
    return [*NAMES, MIXED.name, *({FEW.name} & set(roles))]


def _no_rule(role: Role, excess: float, few: bool) -> str:
    if few:
        return f"too few strong pairs to tell a role: no window has the {MIN_PAIRS} that it takes"
    if excess >= MIN_EXCESS:
        return f"too few strong pairs to tell a role from luck; most: {role.name}, by {excess:.0%} above chance"
    return f"no property exceeds chance by {MIN_EXCESS:.0%} of its strong pairs; most: {role.name}, by {excess:.0%}"


MOST = 4  # heads that are named on Home


@dataclass(frozen=True)
class Notable:
    """A notable head: its role, the share of its strong pairs, the chance level, and the largest share in each copy.

    name: the role with its tokens. meaning: of the role, predicate of the pairs.
    """

    head: Head
    name: str
    meaning: str
    share: float
    chance: float
    copies: Mapping[str, float]

    @property
    def numbers(self) -> str:
        """The share, the chance level and the shares in copies, as text."""
        beside = [f"by chance {self.chance:.1%}", *(f"{name} at most {most:.1%}" for name, most in self.copies.items())]
        return f"{self.share:.1%} of its strong pairs {self.meaning}; {', '.join(beside)}"


def clearest_head(heads: pd.DataFrame) -> Head:
    """The head whose role has the most information; the first head if no head has a role."""
    row = heads.iloc[int(role_bits(heads).max(axis=1).argmax())]
    return Head.of_row(row["layer"], row["head"])


def notable_heads(heads: pd.DataFrame, copies: Mapping[str, pd.DataFrame]) -> list[Notable]:
    """For each role the head of most information, among those with this role, in falling order of information.

    They are at most `MOST`. copies: name -> heads table of a copy. Roles for which a head of a copy is within
    `MIN_EXCESS` are left out.
    """
    (share, chance), bits = role_shares(heads), role_bits(heads)
    bits = np.where(bits < bits.max(axis=1, keepdims=True), 0.0, bits)  # the second role of a head is not its role
    most = {name: role_shares(copy)[0].max(axis=0) for name, copy in copies.items()}
    notable = list[Notable]()
    for at in np.argsort(-bits.max(axis=0), kind="stable"):
        role, top = ROLES[at], int(bits[:, at].argmax())
        of_copies = {name: float(shares[at]) for name, shares in most.items()}
        if bits[top, at] and all(share[top, at] - other >= MIN_EXCESS for other in of_copies.values()):
            row = heads.iloc[top]
            head, name = Head.of_row(row["layer"], row["head"]), role.name + role.names(row)
            notable.append(Notable(head, name, role.meaning, share[top, at], chance[top, at], of_copies))
    return notable[:MOST]
