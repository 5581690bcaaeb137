"""How often the word that a head makes most alike to the dependent is the right one, and how often simpler ways find it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attn_core.patterns.annotated import Question

REACH = 10  # words to either side that a fixed offset may be away
OFFSETS = np.array([offset for offset in range(-REACH, REACH + 1) if offset])


@dataclass(frozen=True, eq=False)
class Candidates:
    """A question as arrays: `candidates` (n,) words, `is_right` (n,) whether each is a right one."""

    word: int
    candidates: np.ndarray
    is_right: np.ndarray

    @classmethod
    def of(cls, question: Question) -> "Candidates":
        candidates = np.array(question.candidates, dtype=np.int64)
        return cls(question.word, candidates, np.isin(candidates, list(question.right)))

    @property
    def is_choice(self) -> bool:
        """Whether there are two candidates, one of them right."""
        return len(self.candidates) == 2 and int(self.is_right.sum()) == 1


def pointed(maps: np.ndarray, questions: Sequence[Candidates]) -> np.ndarray:
    """Whether the candidate of largest value is right, (rows, n); of equal values the first in the text.

    maps: (rows, word, word).
    """
    hits = np.empty((len(maps), len(questions)), dtype=bool)
    for at, one in enumerate(questions):
        hits[:, at] = one.is_right[maps[:, one.word, one.candidates].argmax(axis=1)]
    return hits


def margins(maps: np.ndarray, choices: Sequence[Candidates]) -> np.ndarray:
    """How much the right one of two candidates has above the other, (rows, n)."""
    by_choice = np.empty((len(maps), len(choices)), dtype=np.float32)
    for at, one in enumerate(choices):
        right, wrong = one.candidates[one.is_right], one.candidates[~one.is_right]
        by_choice[:, at] = (maps[:, one.word, right] - maps[:, one.word, wrong])[:, 0]
    return by_choice


def nearest(questions: Sequence[Candidates]) -> np.ndarray:
    """Whether the nearest candidate is right, (n,); of two as near the one before."""
    return np.array([one.is_right[np.abs(one.candidates - one.word).argmin()] for one in questions], dtype=bool)


def at_offsets(questions: Sequence[Candidates]) -> np.ndarray:
    """Whether the word at each of `OFFSETS` is a candidate and right, (offset, n)."""
    hits = [np.isin(one.word + OFFSETS, one.candidates[one.is_right]) for one in questions]
    return np.array(hits, dtype=bool).reshape(-1, len(OFFSETS)).T
