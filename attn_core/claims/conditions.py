"""Reasons why the counts of a subject cannot answer a claim: each function returns a sentence, or "" if they can."""

from collections.abc import Callable

import numpy as np

from attn_core.claims.counted import Counted
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.noise import noise_rate
from attn_core.numerics.leave_one_out import LEAST

Condition = Callable[[Counted], str]


def several_layers(counted: Counted) -> str:
    """The reason that the first and the last layers cannot be compared."""
    one = "The model has one layer, so that there is no first and no last one to compare."
    return one if counted.layers == 1 else ""


def several_heads(counted: Counted) -> str:
    """The reason that the heads of a layer cannot be compared."""
    return "A layer has one head only, so that no two heads of a layer can differ." if counted.heads == 1 else ""


def few_in_one_sentence(expected: Callable[[Counted], np.ndarray], supported: float) -> Condition:
    """The condition that heads can prefer pairs in one sentence `supported` times as often as expected."""

    def reason(counted: Counted) -> str:
        inside = float(expected(counted)[0])
        too_many = f"{inside:.0%} of all pairs lie in one sentence, too many to see which heads prefer it."
        return "" if 0 < inside <= 1 / supported else too_many

    return reason


def has_separators(counted: Counted) -> str:
    """The reason that attention to separators has no chance level."""
    some = bool(np.all(counted.chances("separator_attention")[0] > 0))
    return "" if some else "There is no separator token in reach."


def known_references(counted: Counted) -> str:
    """The reason that noise cannot be counted."""
    unknown = "The model reads fewer than nine in ten tokens of the reference texts, which are English."
    return unknown if np.isnan(noise_rate(counted.tally)[0][0]).any() else ""


def enough_texts(counted: Counted) -> str:
    """The reason that there is no interval."""
    return f"There are fewer than {LEAST} texts, or groups of them." if counted.groups < LEAST else ""


def enough_pairs(counted: Counted) -> str:
    """The reason that strong pairs may be random."""
    return f"There are too few pairs: no window has {MIN_PAIRS} strong ones a head." if counted.few else ""
