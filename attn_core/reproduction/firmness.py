"""How firm is a verdict? Of two combinations that differ in one choice alone, how often do both have it?

Only of choices that can move a claim, and combinations that differ in others count once: attention to separators knows no pairs.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import pandas as pd

from attn_core.findings.robustness import MOVED_BY
from attn_core.reproduction.choices import DIMENSIONS

MOVES: Mapping[str, tuple[str, ...]] = {claim: (*moved_by, "layout") for claim, moved_by in MOVED_BY.items()}
COLUMNS = ("corpus", "model", "control", "seed", "claim", "dimension", "compared", "stays")
KEY = ["corpus", "model", "control", "seed", "claim"]


def firmness_table(verdicts: pd.DataFrame) -> pd.DataFrame:
    """One row a claim and dimension: how many pairs of combinations are compared, and the share whose verdicts are the same.

    verdicts: as `verdict_rows.verdict_table` makes them. Words are compared with tokens whose special ones are in.
    """
    rows = []
    of_claims = verdicts.drop_duplicates([*KEY, *DIMENSIONS])
    for key, group in of_claims.groupby(KEY, dropna=False, sort=False):
        moving = [dimension for dimension in DIMENSIONS if dimension in MOVES[str(key[-1])]]
        verdict = {tuple(row[one] for one in moving): row["verdict"] for row in group.to_dict("records")}
        for dimension in moving:
            same = [verdict[one] == verdict[other] for one, other in _pairs(list(verdict), moving, dimension)]
            if same:
                rows.append((*key, dimension, len(same), sum(same) / len(same)))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"seed": "Int64"})


def _pairs(
    known: list[tuple[object, ...]], moving: Sequence[str], dimension: str
) -> Iterator[tuple[tuple[object, ...], tuple[object, ...]]]:
    """Two combinations of the moving choices that differ in one dimension alone."""
    by_others: dict[tuple[object, ...], list[tuple[object, ...]]] = {}
    for one in known:
        others = [value for name, value in zip(moving, one, strict=True) if name != dimension]
        if dimension == "unit":
            others = ["in" if value == "" else value for value in others]  # words know no special tokens
        by_others.setdefault(tuple(others), []).append(one)
    for group in by_others.values():
        yield from combinations(group, 2)
