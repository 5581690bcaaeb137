"""A window to count, the count of a statistic in one window, and sums of counts over windows.

Every statistic is a ratio of two sums over windows; its chance level is a ratio with the same denominator.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attn_core.measures.token_coverage import TokenCoverage, touched_and_repeated
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.similarity.context_similarity import lengths
from attn_core.similarity.noise_counts import Noise
from attn_core.similarity.strong_pairs import Measure, StrongPairs


@dataclass(frozen=True, eq=False)
class MeasuredWindow:
    """The strong pairs of a window by a measure, its head outputs, and its similarity to reference texts."""

    pairs: StrongPairs
    output: HeadOutputs
    noise: Noise
    measure: Measure

    @cached_property
    def received(self) -> np.ndarray:
        """The mean attention weight that each token receives, (layer, head, token)."""
        return as_array(self.output.received)

    @cached_property
    def lengths(self) -> np.ndarray:
        """The lengths of the head outputs, (layer, head, token)."""
        return lengths(as_array(self.output.z))  # torch takes three times as long

    @property
    def touched(self) -> TokenCoverage:
        """The coverage of tokens by strong pairs that touch them."""
        return self._covered[0]

    @property
    def repeated(self) -> TokenCoverage:
        """The coverage of tokens by strong pairs of two occurrences."""
        return self._covered[1]

    @cached_property
    def _covered(self) -> tuple[TokenCoverage, TokenCoverage]:
        return touched_and_repeated(self.pairs)


@dataclass(frozen=True, eq=False)
class Count:
    """The count of a statistic in one window.

    numerator: (layer, head) or (layer,), further axes allowed. chance: the numerator expected by chance, a number or an
    array that broadcasts to the numerator. weight: the denominator of both.
    """

    numerator: np.ndarray
    chance: np.ndarray | float
    weight: float


def mean_of_heads(values: np.ndarray, axis: int = -1) -> np.ndarray:
    """The mean over heads without removed ones (NaN); NaN where all are removed."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0.0).sum(axis) / known.sum(axis)


class Tally:
    """Sums of counts by name, in R = 1 + further rows; arrays are flattened numerators.

    Row 0 includes every window once; the other rows leave some out and serve to compute intervals.
    """

    def __init__(self, further: int = 0) -> None:
        self._rows = 1 + further
        self._sums: dict[str, tuple[np.ndarray, ...]] = {}  # of numerators, chances and weights

    def add_each(self, name: str, counts: Sequence[Count], times: np.ndarray | None = None) -> None:
        """Add n counts of a statistic. times: (R, n), how often each row includes each count; once by default."""
        numerators, chances = (
            np.stack([np.ravel(getattr(count, part)) for count in counts]) for part in ("numerator", "chance")
        )
        weights = np.array([count.weight for count in counts])
        self.add(name, numerators, chances, weights, np.ones((self._rows, len(counts))) if times is None else times)

    def add(
        self, name: str, numerators: np.ndarray, chances: np.ndarray, weights: np.ndarray, times: np.ndarray
    ) -> None:
        """Add n counts as arrays: numerators (n, size), chances (n, size), (n, layers) or (n, 1), and weights (n,).

        times: (R, n), how often each row includes each count.
        """
        self._join(name, (times @ values.astype(np.float64) for values in (numerators, chances, weights[:, None])))

    def merge(self, other: "Tally", rows: np.ndarray) -> None:
        """Add the sums of another tally. rows: (R,), the row of the other that each row takes."""
        for name, parts in other._sums.items():
            self._join(name, (part[rows] for part in parts))

    def _join(self, name: str, parts: Iterable[np.ndarray]) -> None:
        before = self._sums.get(name)
        self._sums[name] = tuple(map(np.add, before, parts) if before else parts)

    def without(self, heads: np.ndarray) -> "Tally":
        """The same tally, in which some heads, and the layers that lack heads, have no numbers (NaN).

        heads: (layer, head) bool. Chance levels stay: they are those of the text.
        """
        result = Tally(self._rows - 1)
        for name, (numerators, *others) in self._sums.items():
            size = numerators.shape[1]
            gone = heads if size % heads.size == 0 else heads.any(axis=1)
            result._sums[name] = (np.where(np.repeat(gone, size // gone.size), np.nan, numerators), *others)
        return result

    def values(self, name: str) -> np.ndarray:
        """The statistic in every row, (R, size); NaN where a row has no window."""
        return self._divided(name, 0)

    def weights(self, name: str) -> np.ndarray:
        """The denominator of a statistic, (R, 1)."""
        return self._sums[name][2]

    def value(self, name: str) -> np.ndarray:
        """The statistic in row 0, (size,)."""
        return self.values(name)[0]

    def chance(self, name: str) -> np.ndarray:
        """The chance level in row 0, (size,), (layers,) or (1,)."""
        return self.chances(name)[0]

    def chances(self, name: str) -> np.ndarray:
        """The chance level in every row, (R, size), (R, layers) or (R, 1); NaN where a row has no window."""
        return self._divided(name, 1)

    def _divided(self, name: str, part: int) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return self._sums[name][part] / self._sums[name][2]
