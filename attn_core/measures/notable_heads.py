"""Heads worth a look: for each role the head that shows it most, where no copy of the model comes near."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from attn_core.head import Head
from attn_core.measures.above_chance import MIN_EXCESS
from attn_core.measures.roles import ROLES, role_bits, role_shares
from attn_core.texts.token_names import quoted

MOST = 4  # heads that are named
WHAT = {
    "repetition": "pairs one token twice, without the token that it repeats most", "neighbours": "pairs neighbours",
    "separators": "gathers around separators", "sentence": "pairs words of one sentence", "anchor": "gathers around {}",
}  # fmt: skip


@dataclass(frozen=True)
class Notable:
    """A head and what it does: the share of its strong pairs, that share by chance, and the most in any head of each copy."""

    head: Head
    what: str
    share: float
    chance: float
    copies: Mapping[str, float]

    @property
    def numbers(self) -> str:
        """The share, with chance and the copies."""
        beside = [f"by chance {self.chance:.0%}", *(f"{name} at most {most:.0%}" for name, most in self.copies.items())]
        return f"{self.share:.0%} of its strong pairs; {', '.join(beside)}"


def notable_heads(heads: pd.DataFrame, copies: Mapping[str, pd.DataFrame]) -> list[Notable]:
    """The head of each role that shows it most, those first that differ most from chance.

    heads: the heads table; copies: those of the copies of the model, by name. A role is left out where a head of a copy shows
    it as often, to within the excess that makes a role.
    """
    (share, chance), bits = role_shares(heads), role_bits(heads)
    most = {name: role_shares(copy)[0].max(axis=0) for name, copy in copies.items()}
    found = []
    for at, role in enumerate(ROLES):
        top = int(bits[:, at].argmax())
        of_copies = {name: float(shares[at]) for name, shares in most.items()}
        if bits[top, at] and all(share[top, at] - other >= MIN_EXCESS for other in of_copies.values()):
            row = heads.iloc[top]
            what = WHAT[role.name].format(quoted(row["anchor"]))
            what += role.names(row) if role.name == "repetition" else ""
            one = Notable(Head.of_row(row["layer"], row["head"]), what, share[top, at], chance[top, at], of_copies)
            found.append((bits[top, at], one))
    by_head: dict[Head, Notable] = {}
    for _, one in sorted(found, key=lambda pair: -pair[0]):
        by_head.setdefault(one.head, one)  # a head is named once, for what differs most from chance
    return list(by_head.values())[:MOST]
