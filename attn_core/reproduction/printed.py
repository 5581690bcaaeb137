"""A reproduction in a few lines: of each claim the verdict that most combinations give, and how many do."""

from attn_core.io.markdown import markdown
from attn_core.reproduction.conclusions import IN_SHORT
from attn_core.reproduction.opened import Reproduction


def printed(reproduction: Reproduction) -> str:
    """A row a corpus, model and control, a column a claim."""
    verdicts = reproduction.verdicts
    keys = ["corpus", "model", "control", "seed"]
    once = verdicts.drop_duplicates([*keys, "claim", "measure", "share", "special", "unit", "layout"])
    claims = sorted(set(once["claim"]))
    rows = []
    for key, group in once.groupby(keys, dropna=False, sort=False):
        row = [str(key[0]), str(key[1]), f"untrained {key[3]}" if key[2] == "untrained" else str(key[2])]
        for claim in claims:
            counted = group.loc[group["claim"] == claim, "verdict"].value_counts()
            row.append(f"{IN_SHORT.get(str(counted.index[0]), counted.index[0])} {counted.iloc[0]}/{counted.sum()}")
        rows.append(row)
    return markdown(["corpus", "model", "control", *claims], rows)
