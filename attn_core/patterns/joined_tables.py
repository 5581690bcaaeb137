"""How well several heads together tell which of two words it is, and which heads they are, as tables.

Of the relations that are always asked as a choice between two.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.head import Head
from attn_core.patterns.joined import WAYS, Joined, Way, choose, crossed
from attn_core.patterns.over_texts import bounded, halves
from attn_core.patterns.word_maps import MAPS
from attn_core.study.opened import numbers

BASELINES = {"nearest": "nearest candidate", "last": "last hidden state"}  # a column of the relations, and its name


@dataclass(frozen=True, eq=False)
class Choices:
    """A relation's n choices between two words, in the texts that have it.

    margins: (n, map, layer, head), by how much a head prefers the right word. texts: (n,), their numbers. groups: (n,), of
    the texts. questions: (n,), how many the text has. right: by baseline (n,), in how many of them.
    """

    name: str
    margins: np.ndarray
    texts: np.ndarray
    groups: np.ndarray
    questions: np.ndarray
    right: Mapping[str, np.ndarray]


def joined_tables(margins: pa.Table, relations: pa.Table, shape: tuple[int, int]) -> dict[str, pd.DataFrame]:
    """Accuracy of several heads together, all and by group of texts, and which heads they are; empty without a choice."""
    rows, heads = [], []
    for choices in _all_choices(margins, relations, shape):
        rows += _baselines(choices)
        half = halves(choices.texts)
        if len(set(half.tolist())) < 2:
            continue
        for way in WAYS:
            row, chosen = _by_half(choices, half, way)
            rows.append(row)
            heads += chosen
    if not rows:
        return {}
    return {
        "joined": pd.DataFrame(rows),
        "joined_heads": pd.concat(heads, ignore_index=True) if heads else pd.DataFrame(),
    }


def _all_choices(margins: pa.Table, relations: pa.Table, shape: tuple[int, int]) -> Iterator[Choices]:
    """The relations of which every question was such a choice."""
    asked_of = relations.group_by("relation").aggregate([("questions", "sum")]).to_pandas().set_index("relation")
    for name, choices in margins["relation"].to_pandas().value_counts(sort=False).items():
        if choices < asked_of.loc[name, "questions_sum"]:
            continue
        own = margins.filter(pc.equal(margins["relation"], name))
        of_text = numbers(own["text"])
        told = relations.filter(pc.equal(relations["relation"], name)).to_pandas().set_index("text").loc[of_text]
        yield Choices(
            name=str(name),
            margins=numbers(own["margin"]).reshape(len(own), len(MAPS), *shape),
            texts=numbers(own["group"]),
            groups=own["of_text"].to_pandas().to_numpy(),
            questions=told["questions"].to_numpy(),
            right={baseline: told[column].to_numpy() for column, baseline in BASELINES.items()},
        )


def _baselines(choices: Choices) -> list[dict[str, object]]:
    """What choosing without heads reaches, a row each."""
    alone = choices.questions == 1  # of a text with several questions nobody noted which was right
    return [_accuracy(choices, name, "", right == 1, alone) for name, right in choices.right.items()]


def _by_half(choices: Choices, half: np.ndarray, way: Way) -> tuple[dict[str, object], list[pd.DataFrame]]:
    """The row of a way of joining heads, chosen on each half and scored on the other, and the heads by what chose them."""
    right, by_half = crossed(choices.margins, half, way)
    many = " ".join(str(len(joined)) for joined in by_half)
    row = _accuracy(choices, way.name, many, right, np.ones(len(right), dtype=bool))
    chosen_on = {"first half": by_half[1], "second half": by_half[0], "all texts": choose(choices.margins, way)}
    heads = [
        _chosen(joined).assign(relation=choices.name, way=way.name, chosen_on=of) for of, joined in chosen_on.items()
    ]
    return row, heads


def _accuracy(choices: Choices, way: str, heads: str, right: np.ndarray, known: np.ndarray) -> dict[str, object]:
    """Accuracy with its interval, and that of each group of texts. right, known: (n,), the answers, and which there are."""
    row: dict[str, object] = {"relation": choices.name, "way": way, "heads": heads, "questions": int(known.sum())}
    for group in ("", *sorted(set(choices.groups[known]) - {""})):
        here = known & (choices.groups == group) if group else known
        row |= bounded(f"accuracy_{group}" if group else "accuracy", right & here, here, choices.texts)
    return row


def _chosen(joined: Joined) -> pd.DataFrame:
    rows = [Head(int(layer), int(head)).row for layer, head in zip(joined.layers, joined.heads, strict=True)]
    return pd.DataFrame(rows, columns=["layer", "head"]).assign(map=joined.kinds, scale=joined.scales)
