"""In which order heads may go: by importance, by redundancy, by what they are for, at random, and greedily.

An order is a list of heads; the first of them goes first. A pruning curve tells how far the sentence embedding moves as
they go.
"""

from collections.abc import Sequence

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


class Greedy:
    """Each time the head whose removal, on top of those that went before, moves the embedding least.

    What is chosen on some texts is to be shown on others. alone: (layer, head), the effect of each head alone where it is
    known. tried: only so many heads are measured again each time, those that added least when they were measured last (as
    Minoux 1978 puts off what cannot be best); None for all. most: heads that go; until: the effect at which it ends.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        most: int | None = None,
        until: float = np.inf,
        alone: np.ndarray | None = None,
        tried: int | None = None,
    ) -> None:
        self.gone: list[Head] = []
        self.effect = 0.0
        heads = every_head(*shape)
        self.most, self._until, self._tried = min(most or len(heads), len(heads)), until, tried
        self._added = {head: 0.0 if alone is None else float(alone[head]) for head in heads}

    def next_removals(self) -> list[list[Head]]:
        """The removals to measure next; none at the end."""
        if len(self.gone) >= self.most or self.effect > self._until:
            return []
        return [[*self.gone, head] for head in self._next()]

    def measured(self, effects: np.ndarray) -> None:
        """effects: of the removals that were asked for, mean over texts."""
        heads = self._next()
        self._added |= {head: float(effect) - self.effect for head, effect in zip(heads, effects, strict=True)}
        best = int(effects.argmin())
        self.effect = float(effects[best])
        self.gone.append(heads[best])
        del self._added[heads[best]]

    def _next(self) -> list[Head]:
        return sorted(self._added, key=lambda head: (self._added[head], head))[: self._tried]


def go_on(greedy: Greedy, model: LoadedModel, passages: Sequence[Passage], how: Intervention = BY_MEAN) -> bool:
    """One head more, chosen on these texts; whether there was one to take."""
    removals = greedy.next_removals()
    if removals:
        greedy.measured(np.mean([effects_of(model, passage, removals, how).embedding for passage in passages], axis=0))
    return bool(removals)


COUNTS = (1, 2, 3, 4, 6, 9, 12, 18, 24, 36, 48, 72, 96, 144, 192, 288, 384)


def counts_up_to(heads: int) -> list[int]:
    """At which numbers of removed heads a curve is taken: narrow at first, the last one is all heads."""
    return [*(count for count in COUNTS if count < heads), heads]


def pruning_curve(
    model: LoadedModel,
    passages: Sequence[Passage],
    order: Sequence[Head],
    counts: Sequence[int],
    how: Intervention = BY_MEAN,
) -> np.ndarray:
    """Effect on the sentence embedding, (passage, count), of removing the first heads of an order together."""
    removals = [order[:count] for count in counts]
    return np.stack([effects_of(model, passage, removals, how).embedding for passage in passages])


def heads_that_can_go(counts: Sequence[int], effects: np.ndarray, bar: float) -> int:
    """How many heads can go before the effect passes a bar for the first time, at the counts that were measured.

    effects: (count,). 0 where the first count passes it already.
    """
    within = np.flatnonzero(np.asarray(effects) > bar)
    last = len(counts) if not len(within) else int(within[0])
    return counts[last - 1] if last else 0
