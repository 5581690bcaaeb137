"""In which order heads may go: by importance, by what they are for, and at random.

An order is a list of heads; the first of them goes first.
"""

from collections.abc import Sequence

import numpy as np

from attn_core.head import Head, every_head

LEAST = "least important first"
DRAWS = 20  # random orders, whose spread is the chance level of all others


def by_value(value: np.ndarray) -> list[Head]:
    """Heads by a number of each, (layer, head): the smallest goes first, of equal ones the earlier head."""
    flat = np.argsort(value, axis=None, kind="stable")
    return [Head(*map(int, np.unravel_index(at, value.shape))) for at in flat]


def by_role(roles: Sequence[str], first: str, importance: np.ndarray) -> list[Head]:
    """The heads of one role first, then the others; within both the least important first. roles: layer by layer."""
    return sorted(by_value(importance), key=lambda head: roles[head.layer * importance.shape[1] + head.head] != first)


def at_random(shape: tuple[int, int], draws: int = DRAWS, seed: int = 0) -> list[list[Head]]:
    """Seeded random orders."""
    heads, generator = every_head(*shape), np.random.default_rng(seed)
    return [[heads[at] for at in generator.permutation(len(heads))] for _ in range(draws)]


COUNTS = (1, 2, 3, 4, 6, 9, 12, 18, 24, 36, 48, 72, 96, 144, 192, 288, 384)


def counts_up_to(heads: int) -> list[int]:
    """At which numbers of removed heads a curve is taken: narrow at first, the last one is all heads."""
    return [*(count for count in COUNTS if count < heads), heads]


def heads_that_can_go(counts: Sequence[int], effects: np.ndarray, threshold: float) -> int:
    """How many heads can go before the effect passes a threshold for the first time, at the counts that were measured.

    effects: (count,). 0 where the first count passes it already.
    """
    within = np.flatnonzero(np.asarray(effects) > threshold)
    last = len(counts) if not len(within) else int(within[0])
    return counts[last - 1] if last else 0
