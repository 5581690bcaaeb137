"""Orders in which heads are removed, by importance, by role or at random, and random sets of heads.

An order is a list of heads; the first is removed first.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations, product
from math import comb, prod

import numpy as np

from attn_core.head import Head, every_head

LEAST = "least important first"
DRAWS = 20  # random orders or sets, which give the chance level
COUNTS = (1, 2, 3, 4, 6, 9, 12, 18, 24, 36, 48, 72, 96, 144, 192, 288, 384)
Set = tuple[Head, ...]


def by_value(value: np.ndarray) -> list[Head]:
    """Heads in ascending order of a value; ties keep the order of the model. value: (layer, head)."""
    flat = np.argsort(value, axis=None, kind="stable")
    return [Head(*map(int, np.unravel_index(at, value.shape))) for at in flat]


def by_role(roles: Sequence[str], first: str, importance: np.ndarray) -> list[Head]:
    """The heads of a role, then all others, each by ascending importance. roles: of each head, layer by layer."""
    return sorted(by_value(importance), key=lambda head: roles[head.layer * importance.shape[1] + head.head] != first)


def at_random(shape: tuple[int, int], draws: int = DRAWS, seed: int = 0) -> list[list[Head]]:
    """Random orders of all heads."""
    heads, generator = every_head(*shape), np.random.default_rng(seed)
    return [[heads[at] for at in generator.permutation(len(heads))] for _ in range(draws)]


def counts_up_to(heads: int) -> list[int]:
    """The numbers of removed heads at which a pruning curve is measured, up to all heads."""
    return [*(count for count in COUNTS if count < heads), heads]


def heads_that_can_go(counts: Sequence[int], effects: np.ndarray, threshold: float) -> int:
    """The largest count before the first effect above a threshold; 0 if the first is above. effects: (count,)."""
    above = np.flatnonzero(np.asarray(effects) > threshold)
    last = int(above[0]) if len(above) else len(counts)
    return counts[last - 1] if last else 0


def sets_alike(heads: Sequence[Head], shape: tuple[int, int], draws: int = DRAWS, seed: int = 0) -> list[Set]:
    """Random other sets with the same number of heads in each layer; all such sets if there are at most `draws`.

    shape: (layers, heads per layer). Empty if `heads` are whole layers.
    """
    own, across = tuple(sorted(set(heads))), shape[1]
    of_layer = Counter(head.layer for head in own)
    others = prod(comb(across, count) for count in of_layer.values()) - 1
    if others <= draws:
        by_layer = (combinations(every_head(*shape)[layer * across :][:across], of_layer[layer]) for layer in of_layer)
        every = (tuple(sorted(chain.from_iterable(chosen))) for chosen in product(*by_layer))
        return [one for one in every if one != own]
    generator, chosen = np.random.default_rng(seed), dict[Set, None]()
    while len(chosen) < draws:
        layers = [(layer, generator.choice(across, count, replace=False)) for layer, count in of_layer.items()]
        drawn = tuple(sorted(Head(layer, head) for layer, some in layers for head in some.tolist()))
        if drawn != own:
            chosen[drawn] = None
    return list(chosen)
