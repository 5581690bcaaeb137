"""How many pairs of a head touch each token? Those with an end at it; one that has it at both ends counts once."""

import numpy as np


class PairEnds:
    """The ends of the pairs of each row: first, second, (row, K), below N. Pairs may count as often as weights say, (row, K)."""

    def __init__(self, first: np.ndarray, second: np.ndarray, size: int) -> None:
        row = size * np.arange(len(first))[:, None]
        self.shape = len(first), size
        self.first, self.second = ((row + end).ravel() for end in (first, second))

    def used(self, weights: np.ndarray | None = None) -> np.ndarray:
        """How many pairs end at each position, (row, N)."""
        each, rows = None if weights is None else weights.ravel(), self.shape[0] * self.shape[1]
        begins, stops = (np.bincount(end, weights=each, minlength=rows) for end in (self.first, self.second))
        return (begins + stops).reshape(self.shape)


class Touching:
    """The same where every row has one of V tokens at each position: tokens, (row, N), below V."""

    def __init__(self, ends: PairEnds, tokens: np.ndarray, vocabulary: int) -> None:
        small = tokens.astype(np.int16 if vocabulary < 2**15 else np.int64).ravel()  # fits the processor's cache
        self._shape = len(tokens), vocabulary
        self._tokens = (vocabulary * np.arange(len(tokens))[:, None] + tokens).ravel()
        self._alike = np.flatnonzero(small.take(ends.first) == small.take(ends.second))
        self._twice = self._tokens.take(ends.first.take(self._alike))

    def pairs(self, used: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """How many pairs touch each token, (row, V); used: as of `PairEnds.used`."""
        of_alike = None if weights is None else weights.ravel().take(self._alike)
        number = self._shape[0] * self._shape[1]
        ends = np.bincount(self._tokens, weights=used.ravel(), minlength=number)
        return (ends - np.bincount(self._twice, weights=of_alike, minlength=number)).reshape(self._shape)
