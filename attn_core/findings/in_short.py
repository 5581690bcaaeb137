"""A text in three plain sentences: which heads stand out, what a network that never learned has not, what is left open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from attn_core.findings.table import IN_PLAIN_WORDS
from attn_core.head import Head
from attn_core.measures.roles import ROLES, role_bits, role_shares
from attn_core.measures.standing_out import MIN_EXCESS
from attn_core.models.files import TWINS
from attn_core.texts.token_names import quoted

MOST, NAMED = 3, 3  # heads that are named; rows of the claims, of which the picture has all
WHAT = {
    "repetition": "one token twice, without the token that it repeats most", "neighbours": "neighbours",
    "separators": "separators", "sentence": "words of one sentence", "anchor": "{} with other tokens",
}  # fmt: skip
# Rows whose plain words lean on the row above them.
ALONE = {
    "own_pairs": "each head pairs tokens of its own", "reach": "strong pairs reach less far in the last layer",
    "sentences": "late layers pair within a sentence more than early ones",
    "gathering": "some heads gather at a common token",
    "separator_trend": "late layers attend to separators more than early ones",
}  # fmt: skip


@dataclass(frozen=True)
class Standing:
    """A head that stands out: what its strong pairs are, how many of them, by chance, and the most in any head of each network
    that never learned."""

    head: Head
    what: str
    share: float
    chance: float
    nulls: Mapping[str, float]

    @property
    def beside(self) -> str:
        """The share and what it stands beside."""
        if self.nulls:
            other = f"at most {max(self.nulls.values()):.0%} in any head of {_twins(self.nulls)}"
        else:
            other = f"the most of any head, where chance for a single head is {self.chance:.0%}"
        return f"{self.share:.0%} of its strong pairs; {other}"


def standing_out(heads: pd.DataFrame, nulls: Mapping[str, pd.DataFrame]) -> list[Standing]:
    """For each kind the head that shows it most, those first that no network that never learned comes near.

    heads: the heads table; nulls: those of the networks, by what they are called. A kind that a head of a network shows as
    often, to within the excess that makes a role, is left out: it is no sign of learning.
    """
    (share, chance), bits = role_shares(heads), role_bits(heads)
    most = {name: role_shares(null)[0].max(axis=0) for name, null in nulls.items()}
    found = []
    for at, role in enumerate(ROLES):
        top = int(bits[:, at].argmax())
        beside = {name: float(shares[at]) for name, shares in most.items()}
        if bits[top, at] and all(share[top, at] - other >= MIN_EXCESS for other in beside.values()):
            row = heads.iloc[top]
            what = WHAT[role.name].format(quoted(row["anchor"]))
            what += role.names(row) if role.name == "repetition" else ""
            one = Standing(Head.of_row(row["layer"], row["head"]), what, share[top, at], chance[top, at], beside)
            found.append((bits[top, at], one))
    by_head: dict[Head, Standing] = {}
    for _, one in sorted(found, key=lambda pair: -pair[0]):
        by_head.setdefault(one.head, one)  # a head is named once, for what tells most
    return list(by_head.values())[:MOST]


def learned_in_words(claims: pd.DataFrame) -> str:
    """What differs from networks that never learned. claims: as of `claims_table`."""
    asked = claims[claims[list(TWINS)].notna().all(axis=1)]  # else the word is of the shuffled text, or another model
    if asked.empty:
        return "What is learned is not known yet: it takes both twins, which never learned, on the same texts."
    learned = asked[asked["learned"] == "learned"]
    if learned.empty:
        return "Nothing here differs by the margin, in the claim's direction, from networks that never learned."
    return f"By the margin more than in either network that never learned: {_listed(learned['effect'])}."


def open_in_words(claims: pd.DataFrame) -> str:
    """What the text is too short to say."""
    little = claims["unclear"] == "too little text"
    short = claims[little & (claims["learned"] != "learned")]  # which the sentence before has named
    shown = claims[~little & (claims["learned"] == "open")]
    said = [f"The text is too short to say whether {_listed(short['effect'])}."] if len(short) else []
    said += [f"Open whether learned: {_listed(shown['effect'])}."] if len(shown) else []
    return " ".join(said) or "No row of the claims is left open."


def length_caveat(heads: pd.DataFrame, nulls: Mapping[str, pd.DataFrame]) -> str:
    """How many of the strong pairs are those of the longest vectors, which no attention needs to have made."""
    beside = [f"{null['length_share'].mean():.0%} in its {name}" for name, null in nulls.items()]
    chance = f"{heads['chance_length_share'].iloc[0]:.0%} by chance"
    return (
        f"{heads['length_share'].mean():.0%} of all strong pairs are simply those of the longest vectors "
        f"({', '.join([*beside, chance])})."
    )


def roles_beside_twins(named: int, heads: int, twins: Mapping[str, int]) -> str:
    """How many heads have a role, and how many of networks that never learned."""
    beside = [f"{number} of its {name}" for name, number in twins.items()]
    return ", ".join([f"{named} of {heads} heads have a role", *beside])


def _twins(nulls: Mapping[str, float]) -> str:
    return "either twin" if len(nulls) > 1 else f"its {next(iter(nulls))}"


def _listed(effects: Sequence[str] | pd.Series) -> str:
    words = [ALONE.get(effect, IN_PLAIN_WORDS[effect]) for effect in effects]
    words = [word[0].lower() + word[1:] for word in words]
    more = [f"and {len(words) - NAMED} rows more"] if len(words) > NAMED + 1 else []
    return "; ".join([*(words[:NAMED] if more else words), *more])
