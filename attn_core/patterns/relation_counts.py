"""What one window adds to the scores of its relations: sums by relation, map and head, so that texts add up.

A relation's counts (`RelationCounts`) add up over windows and texts, and the bootstrap draws texts again.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from attn_core.patterns.annotated import Relation
from attn_core.patterns.scores import Candidates, at_offsets, margins, nearest, percentiles, pointed
from attn_core.patterns.word_maps import WordOutputs

T = TypeVar("T", bound=Hashable)


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
    pairs = _Shared(pair for relation in relations for pair in relation.pairs)
    asked = _Shared(question for relation in relations for question in relation.questions)
    where = np.array(pairs.unique, dtype=np.int64).reshape(-1, 2)
    questions = [Candidates.of(question) for question in asked.unique]
    of_two = [at for at, question in enumerate(questions) if question.is_choice]
    choices = [questions[at] for at in of_two]
    by_pair, by_question, by_choice = [], [], []
    for layer in range(outputs.shape[0]):
        maps = outputs.of_layer(layer)
        rows = maps.reshape(-1, *maps.shape[2:])
        by_pair.append(percentiles(rows, where))
        by_question.append(pointed(rows, questions))
        by_choice.append(margins(rows, choices))
    percentile, right, margin = (by_map(np.stack(parts), outputs.shape) for parts in (by_pair, by_question, by_choice))
    near, offsets = nearest(questions), at_offsets(questions)
    last = pointed(outputs.of_last_state(), questions)[0]
    counts = []
    for relation in relations:
        at, own = pairs.places(relation.pairs), asked.places(relation.questions)
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


def by_map(values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """(layer, rows, n), the rows by map and head, as (map, layer, head, n). shape: layers and heads."""
    layers, heads = shape
    return values.reshape(layers, values.shape[1] // heads, heads, values.shape[2]).swapaxes(0, 1)


class _Shared(Generic[T]):
    """Things that several relations have in common, each once."""

    def __init__(self, things: Iterable[T]) -> None:
        self._numbers: dict[T, int] = {}
        for thing in things:
            self._numbers.setdefault(thing, len(self._numbers))
        self.unique: list[T] = list(self._numbers)

    def places(self, things: Sequence[T]) -> np.ndarray:
        """Where each stands among `unique`, (n,)."""
        return np.array([self._numbers[thing] for thing in things], dtype=np.int64)
