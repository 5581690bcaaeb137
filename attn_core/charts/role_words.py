"""Roles and their tokens in words and colours, for maps, tables and sentences."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attn_core.measures.few_pairs import MIN_EXCESS, MIN_PAIRS
from attn_core.measures.roles import FEW, MIXED, NAMES, REMOVED, ROLES, Notable, role_bits, role_shares
from attn_core.texts.token_names import quoted, readable

Row = Mapping[str, str]


@dataclass(frozen=True)
class Look:
    """How a role is shown.

    short: abbreviation for cells. colour: from Okabe and Ito's palette. meaning: predicate of the pairs. names: makes
    the tokens of the role, as text, from a row of the heads table.
    """

    short: str
    colour: str
    meaning: str = ""
    names: Callable[[Row], str] = lambda _head: ""


LOOKS = {
    "repetition": Look(
        "rep", "#e69f00", "are one token twice, without the token that it repeats most",
        lambda head: f" ({', '.join(map(quoted, head['repeated_tokens'].split()))})",
    ),
    "neighbours": Look("next", "#56b4e9", "are at most two tokens apart"),
    "nearby": Look("near", "#0072b2", "are 3 to 16 tokens apart"),
    "separators": Look("sep", "#d55e00", "touch [SEP] or the end of a sentence"),
    "sentence": Look("sent", "#009e73", "lie inside one sentence"),
    "anchor": Look("anch", "#cc79a7", "touch its anchor token", lambda head: f" {quoted(head['anchor'])}"),
    MIXED: Look("mix", "#c9ccd1"),
    FEW: Look("", "#e3e3e3"),
    REMOVED: Look("–", "#e3e3e3"),
}  # fmt: skip


def named_role(role: str, head: Row) -> str:
    """A role of a head with its tokens. head: a row of the heads table."""
    return role + LOOKS[role].names(head)


def described_roles(head: Row) -> str:
    """The role and the second role of a head with their tokens. head: a row of the heads table."""
    return ", then ".join(named_role(role, head) for role in (head["role"], head["second_role"]) if role)


def described_share(one: Notable) -> str:
    """The share of a notable head, its chance level, and the largest shares in copies."""
    beside = [f"by chance {one.chance:.1%}", *(f"{name} at most {most:.1%}" for name, most in one.copies.items())]
    return f"{one.share:.1%} of its strong pairs {LOOKS[one.role].meaning}; {', '.join(beside)}"


def role_rules(heads: pd.DataFrame) -> list[str]:
    """For each head the share of strong pairs that gives it its roles, or why it has none."""
    (share, chance), bits = role_shares(heads), role_bits(heads)
    best = np.where(bits.any(axis=1), bits.argmax(axis=1), (share - chance).argmax(axis=1))

    def rule(h: int, i: int, head: Row) -> str:
        expected = f"{'at like distance' if ROLES[i].like else 'chance'} {chance[h, i]:.0%}"
        meaning = LOOKS[NAMES[i]].meaning + LOOKS[NAMES[i]].names(head)
        return f"{share[h, i]:.0%} of its strong pairs {meaning}; {expected} ({bits[h, i]:.1f} bits per pair)"

    def rules(h: int, head: Row) -> str:
        i = best[h]
        if head["role"] == REMOVED:
            return "the head is removed"
        if head["role"] == FEW:
            return f"too few strong pairs to tell a role: no window has the {MIN_PAIRS} that it takes"
        if head["role"] == MIXED:
            excess = share[h, i] - chance[h, i]
            most = f"most: {NAMES[i]}, by {excess:.0%}"
            if excess >= MIN_EXCESS:
                return f"too few strong pairs to tell a role from luck; {most} above chance"
            return f"no property exceeds chance by {MIN_EXCESS:.0%} of its strong pairs; {most}"
        second = head["second_role"]
        return rule(h, i, head) + (f". Second, {second}: {rule(h, NAMES.index(second), head)}" if second else "")

    return [rules(h, head) for h, head in enumerate(heads.to_dict("records"))]


def shown_anchors(heads: pd.DataFrame) -> pd.Series:
    """The anchor of each row of a heads table as readable text, or "none"."""
    named = heads["anchor"].fillna("").astype(object)
    return named.map(readable).where(named != "", "none")


def shown_repetitions(heads: pd.DataFrame) -> pd.Series:
    """The tokens that each head of a heads table repeats most, as readable text."""
    return heads["repeated_tokens"].fillna("").map(lambda tokens: ", ".join(map(readable, tokens.split())))
