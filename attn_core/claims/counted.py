"""The counts of a subject from which the effects of claims are computed, and conditions under which they answer one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.noise import noise_rate
from attn_core.measures.tally import Tally, mean_of_heads
from attn_core.numerics.leave_one_out import LEAST


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of a subject over all texts and without each group of texts, R rows.

    tally: of statistics by head or by layer. layers, heads: of the model, heads per layer. sizes: of the groups of
    texts, (GROUPS,), 0 for an empty one. few: no window has `MIN_PAIRS` strong pairs per head.
    """

    tally: Tally
    layers: int
    heads: int
    sizes: np.ndarray
    few: bool = False

    def values(self, name: str) -> np.ndarray:
        """A statistic by layer, mean over its heads that are not removed, (R, layer)."""
        values = self.tally.values(name)
        return mean_of_heads(values.reshape(len(values), self.layers, -1))

    def over_chance(self, name: str) -> np.ndarray:
        """A statistic divided by its chance level, (R, layer)."""
        return self.values(name) / self.tally.chances(name)

    def first(self, by_layer: np.ndarray, parts: int) -> np.ndarray:
        """The mean over the first of `parts` equal parts of the layers, (R, layer) -> (R,)."""
        return by_layer[:, : self._part(parts)].mean(axis=1)

    def last(self, by_layer: np.ndarray, parts: int) -> np.ndarray:
        """The mean over the last of `parts` equal parts of the layers, (R, layer) -> (R,)."""
        return by_layer[:, -self._part(parts) :].mean(axis=1)

    def _part(self, parts: int) -> int:
        """The number of layers in one part, rounded down, at least 1."""
        return max(1, self.layers // parts)


Condition = Callable[[Counted], str]  # the reason why a claim is not applicable, or ""


def _unless(holds: Callable[[Counted], bool], reason: str) -> Condition:
    return lambda counted: "" if holds(counted) else reason


several_layers = _unless(
    lambda counted: counted.layers > 1, "The model has one layer, so that there is no first and no last one to compare."
)
several_heads = _unless(
    lambda counted: counted.heads > 1, "A layer has one head only, so that no two heads of a layer can differ."
)
has_separators = _unless(
    lambda counted: bool((counted.tally.chance("separator_attention") > 0).all()),
    "There is no separator token in reach.",
)
known_references = _unless(
    lambda counted: not np.isnan(noise_rate(counted.tally)[0][0]).all(),
    "The model reads fewer than nine in ten tokens of the reference texts, which are English.",
)
enough_texts = _unless(
    lambda counted: int(np.count_nonzero(counted.sizes)) >= LEAST,
    f"There are fewer than {LEAST} texts, or groups of them.",
)
enough_pairs = _unless(
    lambda counted: not counted.few, f"There are too few pairs: no window has {MIN_PAIRS} strong ones a head."
)


def known_in_every_layer(names: Iterable[str]) -> Condition:
    """The condition that every layer has a number: where heads are removed, there is none of all heads together."""
    return _unless(
        lambda counted: not any(np.isnan(counted.values(name)[0]).any() for name in names),
        "Heads are removed from a layer, so that there is no number of all its heads.",
    )


def few_in_one_sentence(expected: Callable[[Counted], np.ndarray], supported: float) -> Condition:
    """The condition that heads can prefer pairs in one sentence `supported` times as often as expected."""

    def reason(counted: Counted) -> str:
        inside = float(expected(counted)[0])
        too_many = f"{inside:.0%} of all pairs lie in one sentence, too many to see which heads prefer it."
        return "" if 0 < inside <= 1 / supported else too_many

    return reason
