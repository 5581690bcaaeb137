"""What `patterns` has written into a folder: opened for reading, and its tables as they are printed, in Markdown."""

import pandas as pd

from attn_core.io.tables import markdown
from attn_core.patterns.pooled import ATTENTION
from attn_core.patterns.scores import ENOUGH, TOO_FEW
from attn_core.runs.results import Results

CHOSEN = "centred"  # the measure that is printed, beside the attention; the tables have all


class PatternScores(Results):
    """Finished scores; the tables are those of `pooled.pooled_tables`."""

    kind = "patterns"


open_patterns = PatternScores.open


def printed(scores: PatternScores, rows: int) -> str:
    """The relations of most pairs, and where there are pronouns and names how often each way is right."""
    parts = [
        f"{scores.provenance['model']}, heads chosen on one half of the corpus and scored on the other, 95% intervals:"
    ]
    parts += [_markdown(best_of_relations(scores, rows)), *filter(None, [too_few(scores)])]
    if scores.has("joined"):
        parts.append(_markdown(accuracies(scores.table("joined"))))
    return "\n\n".join(parts)


def best_of_relations(scores: PatternScores, rows: int) -> pd.DataFrame:
    """The relations of most pairs, a row each, with intervals in words."""
    relations = scores.table("relations")
    many = relations["pairs"] >= ENOUGH
    known = list(dict.fromkeys(relations["relation"][many if many.any() else ~many]))[:rows]
    return pd.DataFrame([_relation(relations[relations["relation"] == name]) for name in known])


def too_few(scores: PatternScores) -> str:
    """Names the relations with too few pairs; empty where there are none."""
    relations = scores.table("relations")
    few = list(dict.fromkeys(relations["relation"][relations["pairs"] < TOO_FEW]))
    return f"Fewer than {TOO_FEW} pairs, too few to tell: {', '.join(few)}." if few else ""


def _relation(rows: pd.DataFrame) -> dict[str, str]:
    """One relation: score and pointing accuracy in `CHOSEN`, of attention, and the score's difference between them."""
    by_map = rows.set_index("map")
    similar, attention = by_map.loc[CHOSEN], by_map.loc[ATTENTION]
    return {
        "relation": str(similar["relation"]),
        "pairs": f"{similar['pairs']:,}",
        "score": _bounded(similar, "score"),
        "of attention": _bounded(attention, "score"),
        "difference": _bounded(similar, "score_above_attention", "+z.3f"),
        "points right": _bounded(similar, "pointing"),
        "attention points right": _bounded(attention, "pointing"),
        "fixed offset": _number(similar["fixed_offset"]),
        "nearest": _number(similar["nearest"]),
        "last state": _number(similar["last_state"]),
        "head": str(similar["pointing_heads"]),
    }


def accuracies(joined: pd.DataFrame) -> pd.DataFrame:
    """How often each way finds which of two words is meant, with intervals in words."""
    groups = [name for name in joined if name.startswith("accuracy_") and not name.endswith(("_low", "_high"))]
    return pd.DataFrame(
        {
            "which of two": joined["way"],
            "heads": joined["heads"],
            "questions": joined["questions"].map("{:,}".format),
            "accuracy": [_bounded(row, "accuracy") for _, row in joined.iterrows()],
            **{name.removeprefix("accuracy_"): joined[name].map(_number) for name in groups},
        }
    )


def _bounded(row: pd.Series, name: str, digits: str = ".2f") -> str:
    """0.74 [0.71, 0.77]; empty for what could not be told."""
    value, *bounds = (row[name], row[f"{name}_low"], row[f"{name}_high"])
    return "" if pd.isna(value) else f"{value:{digits}} [{', '.join(f'{bound:{digits}}' for bound in bounds)}]"


def _number(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.3f}"


def _markdown(table: pd.DataFrame) -> str:
    return markdown(list(table), table.to_numpy().tolist())
