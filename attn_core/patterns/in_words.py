"""The relations of a subject of a study as they are printed, in Markdown."""

import pandas as pd

from attn_core.io.tables import markdown
from attn_core.patterns.pooled import ATTENTION
from attn_core.patterns.scores import ENOUGH

CHOSEN = "centred"  # the measure that is printed, beside the attention; the tables have all
ROWS = 16  # relations that are printed


def relations_in_markdown(relations: pd.DataFrame) -> str:
    """Those of most pairs: score and pointing accuracy by similarity and by attention, of heads that the other half chose."""
    by_map = relations[relations["pairs"] >= ENOUGH].set_index("map")
    if by_map.empty:
        return f"No relation has {ENOUGH} pairs: too few to tell."
    rows = [
        [similar["relation"], f"{similar['pairs']:,}", *_both(similar, attention, "score"),
         *_both(similar, attention, "pointing"), _number(similar["fixed_offset"]), similar["pointing_heads"]]
        for (_, similar), (_, attention) in zip(
            by_map.loc[[CHOSEN]].head(ROWS).iterrows(), by_map.loc[[ATTENTION]].head(ROWS).iterrows(), strict=True
        )
    ]  # fmt: skip
    head = ["relation", "pairs", "score", "of attention", "points right", "of attention", "best fixed offset", "heads"]
    return f"Heads chosen on one half of the texts and scored on the other:\n\n{markdown(head, rows)}"


def joined_in_markdown(joined: pd.DataFrame) -> str:
    """How often each way finds which of two words is meant."""
    rows = [
        [row["way"], row["heads"], f"{row['questions']:,}", _bounded(row, "accuracy")] for _, row in joined.iterrows()
    ]
    return markdown(["which of two", "heads", "questions", "accuracy"], rows)


def _both(similar: pd.Series, attention: pd.Series, name: str) -> list[str]:
    return [_bounded(similar, name), _bounded(attention, name)]


def _bounded(row: pd.Series, name: str) -> str:
    """0.74 [0.71, 0.77]; empty for what could not be told."""
    value, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
    bounds = "" if pd.isna(low) else f" [{low:.2f}, {high:.2f}]"
    return "" if pd.isna(value) else f"{value:.2f}{bounds}"


def _number(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.2f}"
