"""The tables of `ablate` as they are printed, in Markdown."""

from collections.abc import Iterator, Sequence

import pandas as pd

from attn_core.head import Head
from attn_core.interventions.opened import Ablation
from attn_core.io.markdown import markdown

ROWS = 12  # heads, and statistics, that are printed


def printed(ablation: Ablation) -> str:
    """What was asked for, of which texts, and the tables that answer it in short."""
    told = ablation.provenance
    replaced = f"heads replaced by {told['replaced_by']}, " if told["replaced_by"] else ""
    an_effect = "entropies are in bits" if told["what"] == "entropy" else "an effect is 1 - cosine"
    drawn = "of random heads and orders the lowest and the highest"
    parts = [f"{told['model']}, {told['texts']:,} {told['units']}, {replaced}95 % intervals, {drawn}; {an_effect}."]
    if told["removed"] == "all heads":
        parts.append("All heads are removed: what is left are the feed-forward layers and the positions.")
    if ablation.has("effects"):
        parts.append(_bounded(ablation.table("effects"), "quantity", ["effect", "chance"]))
    if ablation.has("tasks"):
        parts.append(
            _bounded(ablation.table("tasks"), "quantity", ["whole", "by_chance", "without", "effect", "chance"])
        )
    if ablation.has("entropies"):
        parts += _entropies(ablation.table("entropies"))
    if ablation.has("importance"):
        heads = ablation.table("importance").sort_values("effect", ascending=False)
        names = [str(Head.of_row(*row)) for row in heads[["layer", "head"]].to_numpy()]
        parts.append(f"The {min(ROWS, len(heads))} heads that matter most:")
        parts.append(_bounded(heads.assign(name=names)[:ROWS], "name", ["effect"]))
    if ablation.has("roles"):
        parts.append(_bounded(ablation.table("roles"), "role", ["heads", "effect", "chance"]))
    if ablation.has("relations"):
        found = ablation.table("relations")
        strongest = found.reindex(found["correlation"].abs().sort_values(ascending=False).index)[:ROWS]
        columns = ["statistic", "correlation", "chance_correlation", "correlation_within", "chance_correlation_within"]
        rows = (
            [f"{cell:.2f}" if isinstance(cell, float) else cell for cell in row]
            for row in strongest[columns].to_numpy()
        )
        parts.append(markdown(["importance against", "correlation", "chance", "within layers", "chance"], rows))
    if ablation.has("heads_that_can_go"):
        parts.append(f"How many heads can go ({told['split']}); of the numbers that were measured:")
        found = ablation.table("heads_that_can_go")
        can_go = [
            (one.order, f"{one.bar:.0%}", one.heads, f"{one.surely} to {one.at_most}") for one in found.itertuples()
        ]
        parts.append(markdown(["order", "effect", "heads", "at the bounds of its interval"], can_go))
    if ablation.has("accuracy"):
        parts.append(_bounded(ablation.table("accuracy"), "removed", ["effect_of_texts", "accuracy", "change"]))
    return "\n\n".join(parts)


def _entropies(table: pd.DataFrame) -> Iterator[str]:
    """By layer, with all heads and without some, and what a model would have that knows frequencies alone."""
    for name, rows in table.groupby("heads", sort=False):
        yield f"By layer (0: the embeddings), {name}, at {rows['places'].iloc[0]:,} places:"
        yield _bounded(rows, "layer", ["entropy", "cross_entropy"])
    yield f"By chance: {table['chance_entropy'].iloc[0]:.4f}, the entropy of these very tokens by their own frequency."


def _bounded(table: pd.DataFrame, name: str, columns: Sequence[str]) -> str:
    rows = [[str(row[name]), *(_cell(row, column) for column in columns)] for row in table.to_dict("records")]
    return markdown([name, *(column.replace("_", " ") for column in columns)], rows)


def _cell(row: dict, column: str) -> str:
    """A number, with its bounds where it has some."""
    if column == "heads":
        return str(row["heads"])
    if column == "effect_of_texts":
        return f"{row['effect']:.4f}"
    if column in ("whole", "by_chance", "without"):
        return f"{row['chance_whole' if column == 'by_chance' else column]:.4f}"
    named = {"entropy": ("entropy", "entropy_low", "entropy_high"),
             "cross_entropy": ("cross_entropy", "cross_entropy_low", "cross_entropy_high"),
             "effect": ("effect", "low", "high"), "accuracy": ("accuracy", "low", "high"),
             "chance": ("chance_effect", "chance_low", "chance_high"),
             "change": ("change", "change_low", "change_high")}[column]  # fmt: skip
    value, low, high = (row[one] for one in named)
    if pd.isna(value):
        return "-"
    return f"{value:.4f}" if pd.isna(low) else f"{value:.4f} [{low:.4f}, {high:.4f}]"
