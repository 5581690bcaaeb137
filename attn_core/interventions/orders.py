"""In which order heads may go: by importance, by redundancy, by what they are for, at random, and greedily.

An order is a list of heads; the first of them goes first.
"""

from collections.abc import Callable, Sequence

import numpy as np

from attn_core.head import Head, every_head
from attn_core.interventions.effects import effects_of
from attn_core.models.intervention import BY_MEAN, Intervention
from attn_core.models.records import LoadedModel
from attn_core.texts.passages import Passage

DRAWS = 20  # random orders, whose spread is the chance level of all others


def by_value(value: np.ndarray) -> list[Head]:
    """Heads by a number of each, (layer, head): the smallest goes first, of equal ones the earlier head."""
    flat = np.argsort(value, axis=None, kind="stable")
    return [Head(*map(int, np.unravel_index(at, value.shape))) for at in flat]


def by_redundancy(correlation: np.ndarray, shape: tuple[int, int]) -> list[Head]:
    """The most redundant first: of the two heads left that are most alike, the one that is more like the rest.

    correlation: (H, H) rank correlations of the heads' similarity matrices, layer by layer. What is most redundant is found
    anew among the heads that remain, since a head whose twin has gone is redundant no longer.
    """
    left = np.array(correlation, dtype=np.float64)
    np.fill_diagonal(left, -np.inf)
    order = list[int]()
    for _ in range(len(left) - 1):
        pair = np.unravel_index(left.argmax(), left.shape)
        without_each_other = left[list(pair)].copy()
        without_each_other[[0, 1], pair[::-1]] = -np.inf
        gone = int(pair[int(without_each_other.max(axis=1).argmax())])
        order.append(gone)
        left[gone], left[:, gone] = -np.inf, -np.inf
    order += [at for at in range(len(left)) if at not in order]
    return [Head(*divmod(at, shape[1])) for at in order]


def by_role(roles: Sequence[str], first: str, importance: np.ndarray) -> list[Head]:
    """The heads of one role first, then the others; within both the least important first. roles: layer by layer."""
    return sorted(by_value(importance), key=lambda head: roles[head.layer * importance.shape[1] + head.head] != first)


def at_random(shape: tuple[int, int], draws: int = DRAWS, seed: int = 0) -> list[list[Head]]:
    """Seeded random orders."""
    heads, generator = every_head(*shape), np.random.default_rng(seed)
    return [[heads[at] for at in generator.permutation(len(heads))] for _ in range(draws)]


def greedily(
    model: LoadedModel,
    passages: Sequence[Passage],
    most: int,
    how: Intervention = BY_MEAN,
    progress: Callable[[int, int], None] | None = None,
) -> list[Head]:
    """Each time the head whose removal, on top of those that went before, moves the embedding least; at most so many heads.

    What is chosen on these passages is to be shown on others.
    """
    gone = list[Head]()
    most = min(most, model.layers * model.heads)
    while len(gone) < most:
        if progress:
            progress(len(gone), most)
        gone.append(least_harmful(model, passages, gone, how))
    return gone


def least_harmful(
    model: LoadedModel, passages: Sequence[Passage], gone: Sequence[Head], how: Intervention = BY_MEAN
) -> Head:
    """Of the heads that are left the one whose removal, on top of those that have gone, moves the embedding least."""
    left = [head for head in every_head(model.layers, model.heads) if head not in gone]
    next_ones = [[*gone, head] for head in left]
    effect = np.mean([effects_of(model, passage, next_ones, how).embedding for passage in passages], axis=0)
    return left[int(effect.argmin())]
