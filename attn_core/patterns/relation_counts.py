"""What one window adds to the scores of its relations: sums by relation, map and head, so that texts add up.

A relation's counts (`RelationCounts`) add up over windows and texts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from attn_core.patterns.scores import Candidates, at_offsets, margins, nearest, percentiles, pointed
from attn_core.patterns.word_maps import WordOutputs
from attn_core.texts.annotated import Relation


@dataclass(frozen=True, eq=False)
class RelationCounts:
    """A relation in one window or more.

    percentile, right: (map, layer, head), sums over the pairs and over the questions, of which there are so many. nearest,
    last: how often the nearest candidate and the one of most like last hidden state is right. offsets: (offset,), how often
    the word at each of `scores.OFFSETS` is right. margins: (questions of two candidates, map, layer, head), the right one's
    value above the other's.
    """

    percentile: np.ndarray
    right: np.ndarray
    pairs: int
    questions: int
    nearest: int
    last: int
    offsets: np.ndarray
    margins: np.ndarray

    def __add__(self, other: "RelationCounts") -> "RelationCounts":
        return RelationCounts(
            self.percentile + other.percentile,
            self.right + other.right,
            self.pairs + other.pairs,
            self.questions + other.questions,
            self.nearest + other.nearest,
            self.last + other.last,
            self.offsets + other.offsets,
            np.concatenate([self.margins, other.margins]),
        )


def count_window(outputs: WordOutputs, relations: Sequence[Relation]) -> list[RelationCounts]:
    """The counts of each relation; its words are those of the window, and it has one pair or more.

    Pairs and questions that several relations share are looked at once.
    """
    every_pair = dict.fromkeys(pair for relation in relations for pair in relation.pairs)
    every_question = dict.fromkeys(question for relation in relations for question in relation.questions)
    place_of_pair, place_of_question = ({one: at for at, one in enumerate(of)} for of in (every_pair, every_question))
    where = np.array(list(every_pair), dtype=np.int64).reshape(-1, 2)
    questions = [Candidates.of(question) for question in every_question]
    of_two = [at for at, question in enumerate(questions) if question.is_choice]
    percentile, right, margin = by_map(
        outputs,
        partial(percentiles, pairs=where),
        partial(pointed, questions=questions),
        partial(margins, choices=[questions[at] for at in of_two]),
    )
    near, offsets = nearest(questions), at_offsets(questions)
    last = pointed(outputs.of_last_state(), questions)[0]
    counts = []
    for relation in relations:
        at = np.array([place_of_pair[pair] for pair in relation.pairs], dtype=np.int64)
        own = np.array([place_of_question[question] for question in relation.questions], dtype=np.int64)
        counts.append(
            RelationCounts(
                percentile[..., at].sum(axis=-1, dtype=np.float64),
                right[..., own].sum(axis=-1, dtype=np.float64),
                len(at),
                len(own),
                int(near[own].sum()),
                int(last[own].sum()),
                offsets[:, own].sum(axis=1),
                np.moveaxis(margin[..., np.flatnonzero(np.isin(of_two, own))], -1, 0),
            )
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
