"""What is each head for? One rule: the property in which its strong pairs most exceed chance names the role.

To add a role, add a line to `ROLES`. The names and the threshold are our choice; the paper describes the first and the
fourth kind of head (repetitions of one token; a common token with its surroundings).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

MIN_EXCESS = 0.10  # share of pairs above chance; our choice


@dataclass(frozen=True)
class Role:
    """A role goes to the heads whose strong pairs show `statistic` more often than chance."""

    name: str
    statistic: str
    meaning: str


ROLES = (
    Role("repetition", "repetition_share", "pairs two occurrences of one token"),
    Role("neighbours", "near_share", "pairs tokens at most two apart"),
    Role("separators", "separator_share", "pairs that touch [SEP] or sentence-final punctuation"),
    Role("anchor", "anchor_coverage", "pairs that touch the head's anchor token"),
    Role("sentence", "same_sentence_share", "pairs inside one sentence"),
)
NO_ROLE = "mixed"


def assign_roles(heads: pd.DataFrame, min_excess: float = MIN_EXCESS) -> pd.DataFrame:
    """Columns role, role_excess and role_rule, one row a row of the heads table.

    The excess of a role is share minus chance share. The largest one names the role if it reaches `min_excess`. A pair
    of neighbours lies inside one sentence nearly always, so "sentence" stands for what its sentence share exceeds
    that of its neighbours by.
    """
    excess = np.stack([heads[role.statistic] - heads[f"chance_{role.statistic}"] for role in ROLES], axis=1)
    names = [role.name for role in ROLES]
    excess[:, names.index("sentence")] -= np.maximum(excess[:, names.index("neighbours")], 0)
    best = excess.argmax(axis=1)
    top = excess[np.arange(len(excess)), best]
    rules = [_rule(ROLES[i], row, min_excess, value) for i, value, (_, row) in zip(best, top, heads.iterrows(), strict=True)]
    role = np.where(top >= min_excess, np.array(names)[best], NO_ROLE)
    return pd.DataFrame({"role": role, "role_excess": top, "role_rule": rules}, index=heads.index)


def _rule(role: Role, head: pd.Series, min_excess: float, excess: float) -> str:
    share, chance = head[role.statistic], head[f"chance_{role.statistic}"]
    if excess < min_excess:
        return f"no property exceeds chance by {min_excess:.0%} of the pairs"
    return f"{share:.0%} of its strong pairs are {role.meaning}; chance {chance:.0%}"
