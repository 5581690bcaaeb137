"""A reproduction in a few lines: of each row of the claims the verdict that most combinations give, and how many do."""

import pandas as pd

from attn_core.findings.bars import BY_EFFECT
from attn_core.io.markdown import markdown
from attn_core.reproduction.choices import PAPERS, SUBJECT, combinations
from attn_core.reproduction.conclusions import IN_SHORT
from attn_core.reproduction.opened import Reproduction


def printed(reproduction: Reproduction) -> str:
    """A row a corpus, model, control and row of a claim; the combinations of the paper's measure alone."""
    verdicts = reproduction.verdicts
    rows = []
    own = verdicts[verdicts["measure"] == PAPERS]
    for key, group in own.groupby([*SUBJECT, "effect_name"], dropna=False, sort=False):
        counted = combinations(group, str(key[-1]))["verdict"].value_counts()
        control = str(key[2]) if pd.isna(key[3]) else f"{key[2]} {key[3]}"
        told = f"{IN_SHORT.get(str(counted.index[0]), counted.index[0])} {counted.iloc[0]}/{counted.sum()}"
        rows.append([str(key[0]), str(key[1]), control, BY_EFFECT[str(key[-1])].name, told])
    return markdown(["corpus", "model", "control", "row", "verdict"], rows)
