"""What one window adds to the scores of its relations: sums by relation, map and head, which add up over windows and texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from attn_core.patterns.scores import Candidates, at_offsets, margins, percentiles, pointed
from attn_core.patterns.word_maps import WordOutputs
from attn_core.texts.annotated import Relation


@dataclass(frozen=True, eq=False)
class RelationCounts:
    """A relation in one window or more.

    percentile, right: (map, layer, head), sums over the pairs, of which there are so many. last: how often the candidate of most
    like last hidden state is right. offsets: (offset,), how often the word at each of `scores.OFFSETS` is right. margins: (pairs
    of two candidates, map, layer, head), the right one's value above the other's.
    """

    percentile: np.ndarray
    right: np.ndarray
    pairs: int
    last: int
    offsets: np.ndarray
    margins: np.ndarray

    def __add__(self, other: "RelationCounts") -> "RelationCounts":
        return RelationCounts(
            self.percentile + other.percentile,
            self.right + other.right,
            self.pairs + other.pairs,
            self.last + other.last,
            self.offsets + other.offsets,
            np.concatenate([self.margins, other.margins]),
        )


def count_window(outputs: WordOutputs, relations: Sequence[Relation]) -> dict[str, RelationCounts]:
    """The counts of each relation by name; its words are those of the window, and it has one pair or more.

    What several relations ask is looked at once.
    """
    every = dict.fromkeys(question for relation in relations for question in relation.questions)
    place = {question: at for at, question in enumerate(every)}
    questions = [Candidates.of(question) for question in every]
    of_two = [at for at, question in enumerate(questions) if question.is_choice]
    percentile, right, margin = by_map(
        outputs,
        partial(percentiles, pairs=np.array([question.pair for question in every], dtype=np.int64)),
        partial(pointed, questions=questions),
        partial(margins, choices=[questions[at] for at in of_two]),
    )
    offsets, last = at_offsets(questions), pointed(outputs.of_last_state(), questions)[0]
    counts = {}
    for relation in relations:
        own = np.array([place[question] for question in relation.questions], dtype=np.int64)
        counts[relation.name] = RelationCounts(
            percentile[..., own].sum(axis=-1, dtype=np.float64),
            right[..., own].sum(axis=-1, dtype=np.float64),
            len(own),
            int(last[own].sum()),
            offsets[:, own].sum(axis=1),
            np.moveaxis(margin[..., np.flatnonzero(np.isin(of_two, own))], -1, 0),
        )
    return counts


def by_map(outputs: WordOutputs, *asked: Callable[[np.ndarray], np.ndarray]) -> list[np.ndarray]:
    """What is asked of the maps of every layer, (rows, word, word) -> (rows, n), each as (map, layer, head, n)."""
    layers, heads = outputs.shape
    by_layer: list[list[np.ndarray]] = [[] for _ in asked]
    for layer in range(layers):
        maps = outputs.of_layer(layer)
        rows = maps.reshape(-1, *maps.shape[2:])
        for made, of_rows in zip(by_layer, asked, strict=True):
            values = of_rows(rows)
            made.append(values.reshape(len(maps), heads, values.shape[-1]))
    return [np.stack(made, axis=1) for made in by_layer]
