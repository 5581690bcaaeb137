"""A way to segment as a record: what it is, what it gets, what it finds, how well it did."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from attn_core.segmentation.sentences import Mode, SentenceOutputs

Threshold = Literal["score", "cost"]
RANDOM_CUTS = 0.5  # their mean Pk


@dataclass(frozen=True, eq=False)
class Task:
    """What a method gets: sentences, weights (layer, head), a number of segments or None, a threshold or None."""

    outputs: SentenceOutputs
    weights: np.ndarray
    segments: int | None
    threshold: float | None


@dataclass(frozen=True, eq=False)
class Cut:
    """What a method finds: boundaries, a score at every gap (S - 1,), and the threshold, if one decided."""

    boundaries: tuple[int, ...]
    gap_scores: np.ndarray
    threshold: float | None = None


class Measured(NamedTuple):
    """Mean Pk over texts of one kind, with the number of segments given and found; 0 is best, random cuts get 0.5."""

    kind: str
    given: float
    found: float


@dataclass(frozen=True)
class Method:
    """A way to segment. mode: how the sentences must have been read, None where the model is not asked at all.

    uses_heads: whether the choice of heads matters. threshold: what a threshold would bound, None where none can be set:
    the "score" of a gap from which on it is a boundary, or the "cost" of each boundary, in units of the method's own.
    measured: how well it did on the kinds of text that it was tried on.
    """

    name: str
    title: str
    what: str
    source: str
    best_for: str
    measured: tuple[Measured, ...]
    mode: Mode | None
    uses_heads: bool
    threshold: Threshold | None
    cut: Callable[[Task], Cut]

    @property
    def beats_random_cuts(self) -> bool:
        """Whether its segments are worth a look: told their number, it was better on some kind of text by a tenth."""
        return any(one.given <= 0.9 * RANDOM_CUTS for one in self.measured)
