"""As many other heads of the same layers: what their removal does is the chance level of what the removal of some heads does."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import comb, prod

import numpy as np

from attn_core.head import Head
from attn_core.interventions.orders import DRAWS

Set = tuple[Head, ...]


def sets_alike(heads: Sequence[Head], shape: tuple[int, int], draws: int = DRAWS, seed: int = 0) -> list[Set]:
    """Different sets with as many heads of each layer as these, and not these: seeded draws, or all where there are fewer.

    shape: (layers, heads a layer). None where whole layers are chosen, which no other heads could be.
    """
    own, across = tuple(sorted(set(heads))), shape[1]
    of_layer = Counter(head.layer for head in own)
    others = prod(comb(across, count) for count in of_layer.values()) - 1
    if others <= draws:
        return [chosen for chosen in _all_sets(of_layer, across) if chosen != own]
    generator, chosen = np.random.default_rng(seed), dict[Set, None]()
    while len(chosen) < draws:
        drawn = _drawn(of_layer, across, generator)
        if drawn != own:
            chosen[drawn] = None
    return list(chosen)


def _all_sets(of_layer: Counter[int], across: int) -> Iterator[Set]:
    layers = [[(layer, some) for some in combinations(range(across), count)] for layer, count in of_layer.items()]
    for chosen in product(*layers):
        yield tuple(sorted(Head(layer, head) for layer, some in chosen for head in some))


def _drawn(of_layer: Counter[int], across: int, generator: np.random.Generator) -> Set:
    chosen = [(layer, generator.choice(across, count, replace=False).tolist()) for layer, count in of_layer.items()]
    return tuple(sorted(Head(layer, head) for layer, some in chosen for head in some))
