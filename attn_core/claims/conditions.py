"""Conditions under which the counts of a subject can answer a claim: each gives the reason why not, or ""."""

from collections.abc import Callable

import numpy as np

from attn_core.claims.counted import Counted
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.noise import noise_rate
from attn_core.numerics.leave_one_out import LEAST

Condition = Callable[[Counted], str]


def _unless(holds: Callable[[Counted], bool], reason: str) -> Condition:
    return lambda counted: "" if holds(counted) else reason


several_layers = _unless(
    lambda counted: counted.layers > 1, "The model has one layer, so that there is no first and no last one to compare."
)
several_heads = _unless(
    lambda counted: counted.heads > 1, "A layer has one head only, so that no two heads of a layer can differ."
)
has_separators = _unless(
    lambda counted: bool((counted.chances("separator_attention")[0] > 0).all()), "There is no separator token in reach."
)
known_references = _unless(
    lambda counted: not np.isnan(noise_rate(counted.tally)[0][0]).any(),
    "The model reads fewer than nine in ten tokens of the reference texts, which are English.",
)
enough_texts = _unless(
    lambda counted: counted.groups >= LEAST, f"There are fewer than {LEAST} texts, or groups of them."
)
enough_pairs = _unless(
    lambda counted: not counted.few, f"There are too few pairs: no window has {MIN_PAIRS} strong ones a head."
)


def few_in_one_sentence(expected: Callable[[Counted], np.ndarray], supported: float) -> Condition:
    """The condition that heads can prefer pairs in one sentence `supported` times as often as expected."""

    def reason(counted: Counted) -> str:
        inside = float(expected(counted)[0])
        too_many = f"{inside:.0%} of all pairs lie in one sentence, too many to see which heads prefer it."
        return "" if 0 < inside <= 1 / supported else too_many

    return reason
