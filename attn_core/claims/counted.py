"""The counts of a subject from which the effects of claims are computed, and facts about what was counted."""

from dataclasses import dataclass

import numpy as np

from attn_core.measures.tally import Tally


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of a subject over all texts and without each group of texts, R rows.

    tally: of statistics by head or by layer. layers, heads: of the model, heads per layer. groups: of texts. few: no
    window has `MIN_PAIRS` strong pairs per head. short: number of windows left out. causal: whether tokens attend only
    to earlier ones.
    """

    tally: Tally
    layers: int
    heads: int
    groups: int
    few: bool = False
    short: int = 0
    causal: bool = False

    def values(self, name: str) -> np.ndarray:
        """A statistic by layer, mean over its heads, (R, layer)."""
        values = self.tally.values(name)
        return values.reshape(len(values), self.layers, -1).mean(axis=-1)

    def chances(self, name: str) -> np.ndarray:
        """The chance level of a statistic by layer, (R, layer) or (R, 1)."""
        return self.tally.chances(name)

    def over_chance(self, name: str) -> np.ndarray:
        """A statistic divided by its chance level, (R, layer)."""
        return self.values(name) / self.chances(name)

    def first(self, by_layer: np.ndarray, parts: int) -> np.ndarray:
        """The mean over the first of `parts` equal parts of the layers, (R, layer) -> (R,)."""
        return by_layer[:, : self._part(parts)].mean(axis=1)

    def last(self, by_layer: np.ndarray, parts: int) -> np.ndarray:
        """The mean over the last of `parts` equal parts of the layers, (R, layer) -> (R,)."""
        return by_layer[:, -self._part(parts) :].mean(axis=1)

    def _part(self, parts: int) -> int:
        """The number of layers in one part, rounded down, at least 1."""
        return max(1, self.layers // parts)
