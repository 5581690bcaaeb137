"""A reproduction in a few lines: of each claim the verdict that most combinations give, and how many do."""

import pandas as pd

from attn_core.io.markdown import markdown
from attn_core.reproduction.conclusions import IN_SHORT
from attn_core.reproduction.firmness import MOVES
from attn_core.reproduction.opened import Reproduction


def printed(reproduction: Reproduction) -> str:
    """A row a corpus, model and control, a column a claim."""
    verdicts = reproduction.verdicts
    keys = ["corpus", "model", "control", "seed"]
    claims = sorted(set(verdicts["claim"]))
    rows = []
    for key, group in verdicts.groupby(keys, dropna=False, sort=False):
        row = [str(key[0]), str(key[1]), str(key[2]) if pd.isna(key[3]) else f"{key[2]} {key[3]}"]
        for claim in claims:
            of_claim = group[group["claim"] == claim].drop_duplicates([*MOVES[claim]])
            counted = of_claim["verdict"].value_counts()
            row.append(f"{IN_SHORT.get(str(counted.index[0]), counted.index[0])} {counted.iloc[0]}/{counted.sum()}")
        rows.append(row)
    return markdown(["corpus", "model", "control", *claims], rows)
