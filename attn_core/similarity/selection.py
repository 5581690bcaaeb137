"""Selection of strong pairs, the most similar pairs of tokens of each head: from tensors or arrays to numpy arrays."""

import math
from collections.abc import Sequence

import numpy as np

from attn_core.errors import InputError, TextError, check_share
from attn_core.models.head_outputs import Values, as_array
from attn_core.numerics.threads import on_every_core
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.device_selection import select
from attn_core.similarity.strong_pairs import NO_PAIR, SHARE, Measure, Settings, StrongPairs, number_of_strong_pairs
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

ROWS = 128  # rows of a matrix of similarities that are computed together, from the diagonal on
BATCH_SIZE = 1 << 20  # similarities selected from together; between calls on few numbers, threads wait for each other
PLACE, TOKEN = 16, 0xFFFF  # bits of a token in a key, and their mask
SAMPLE_STEP = 64  # the first threshold is estimated from one similarity in so many


def find_strong_pairs(
    z: Values, passage: Passage, share: float = SHARE, measure: Measure = "dot", with_special: bool = True
) -> StrongPairs:
    """The K most similar pairs i < j of every head, strongest first; ties are in the order of i, then j.

    >>> pairs = attn_core.find_strong_pairs(output.z, passage, share=0.05)
    >>> pairs.first.shape  # layer, head, pair
    (6, 12, 8)

    Parameters
    ----------
    z: (layer, head, token, d_head) float32, the head outputs of the passage's tokens.
    passage: the tokens, and which of them are special.
    share: K = max(1, round(share * P)) of P pairs are strong; the selection is exact.
    measure: "dot", "cosine" or "centred", see `Settings`.
    with_special: whether special tokens may pair.

    Raises TextError if fewer than two tokens may pair, and InputError for a z of another shape, a share out of range,
    or an unknown measure.
    """
    check_share(share, "The share of strong pairs")
    if len(getattr(z, "shape", ())) != 4 or z.shape[2] != len(passage):
        raise InputError(
            f"z is an array of (layer, head, token, d_head) with the {len(passage)} tokens of the passage."
        )
    return strong_pairs_under(z, passage, [Settings(measure, share, with_special)])[0]


def strong_pairs_under(z: Values, passage: Passage, choices: Sequence[Settings]) -> list[StrongPairs]:
    """The strong pairs under each of several settings of one measure; similarities are computed and sorted once.

    A smaller share takes the first pairs of a larger one; where special tokens may not pair, their pairs are skipped.
    """
    z, measure = as_tensor(z), choices[0].measure
    largest = {one.with_special: max(c.share for c in choices if c.with_special == one.with_special) for one in choices}
    found = {special: _empty_pairs(z, passage, share, special) for special, share in largest.items()}
    if z.is_cuda:  # other devices lack some of the operations
        select(z, measure, [*found.values()])
        return [found[one.with_special].strongest(one.share) for one in choices]
    n, may = len(passage), np.logical_or.reduce([strong.eligible for strong in found.values()])
    able, position = _blocks(np.triu(np.outer(may, may), 1)), np.arange(n)
    places = _blocks(position[:, None] << PLACE | position)
    sampled, pairs = np.flatnonzero(able)[::SAMPLE_STEP], int(able.sum())
    reach = max(strong.shape[2] + pairs - strong.possible for strong in found.values())  # enough for each

    def choose(batches: Sequence[tuple[int, slice, Tensor]]) -> list[None]:
        buffer = z.new_empty(size, len(places))  # the memory of all batches, since clearing new memory takes time
        for layer, heads, vectors in batches:
            keys = _strongest(_similarity(vectors, buffer[: len(vectors)]), able, places, sampled, reach)
            for strong in found.values():
                own = keys if strong.possible == pairs else _among(keys, strong.eligible, strong.shape[2])
                first, second, similarity = _unpacked(own[:, : strong.shape[2]])
                strong.first[layer, heads], strong.second[layer, heads] = first, second
                strong.similarity[layer, heads] = similarity
        return []

    size = min(z.shape[1], max(1, BATCH_SIZE // len(able)))
    cuts = [slice(start, start + size) for start in range(0, z.shape[1], size)]
    measured = (as_measured(layer, measure) for layer in z)
    batches = [(layer, heads, own[heads]) for layer, own in enumerate(measured) for heads in cuts]
    on_every_core(choose, batches, z.device)
    return [found[one.with_special].strongest(one.share) for one in choices]


def _empty_pairs(z: Tensor, passage: Passage, share: float, with_special: bool) -> StrongPairs:
    """Strong pairs with uninitialised arrays, to be filled."""
    eligible = np.ones(len(passage), dtype=bool) if with_special else ~passage.is_special
    able = int(eligible.sum())
    if able < 2:
        raise TextError(NO_PAIR)
    shape = (*z.shape[:2], number_of_strong_pairs(able * (able - 1) // 2, share))
    return StrongPairs(passage, eligible, *(np.empty(shape, of) for of in (np.int64, np.int64, np.float32)))


def _blocks(matrix: np.ndarray) -> np.ndarray:
    """The values of an (N, N) matrix in blocks of `ROWS` rows, each from its first diagonal cell on, (C,)."""
    return np.concatenate([matrix[at : at + ROWS, at:].ravel() for at in range(0, len(matrix), ROWS)])


def _similarity(vectors: Tensor, buffer: Tensor) -> np.ndarray:
    """The scalar products of vectors (head, token, d_head) in the order of `_blocks`, in `buffer` (head, C)."""
    at = 0
    for start in range(0, vectors.shape[1], ROWS):
        rows, columns = vectors[:, start : start + ROWS], vectors[:, start:]
        shape = rows.shape[1], columns.shape[1]
        torch.bmm(rows, columns.mT, out=buffer[:, at : at + math.prod(shape)].view(-1, *shape))
        at += math.prod(shape)
    return as_array(buffer)


def _strongest(
    similarity: np.ndarray, able: np.ndarray, places: np.ndarray, sampled: np.ndarray, number: int
) -> np.ndarray:
    """The keys of the `number` most similar pairs of each head, strongest first, (head, number); see `_packed`.

    similarity: (head, C). able: (C,) bool, whether each is of a pair. places: (C,), of each in the matrix. sampled:
    indices of some pairs, from which thresholds are estimated, since a selection among all takes three times as long.
    """
    strongest = np.empty((len(similarity), number), dtype=np.int64)
    reached = similarity >= _likely_thresholds(similarity.take(sampled, axis=1), number)[:, None]
    reached &= able
    for row, of_head, is_reached in zip(strongest, similarity, reached, strict=True):
        chosen = np.flatnonzero(is_reached)
        if len(chosen) < number:
            every = of_head[able]
            least = np.partition(every, len(every) - number)[len(every) - number]
            chosen = np.flatnonzero(able & (of_head >= least))
        keys = _packed(of_head.take(chosen), places.take(chosen))
        keys.sort()
        row[:] = keys[:number]
    return strongest


def _among(keys: np.ndarray, eligible: np.ndarray, number: int) -> np.ndarray:
    """The first `number` keys of each head whose tokens are both eligible, (head, number)."""
    first, second, _ = _unpacked(keys)
    both = eligible.take(first) & eligible.take(second)
    return np.stack([row.take(np.flatnonzero(wanted)[:number]) for row, wanted in zip(keys, both, strict=True)])


def _likely_thresholds(samples: np.ndarray, number: int) -> np.ndarray:
    """A threshold per head that nearly always at least `number` similarities reach, (head,).

    samples: (head, S), one in `SAMPLE_STEP` of them.
    """
    expected = number / SAMPLE_STEP
    at = samples.shape[1] - math.ceil(expected + 4 * math.sqrt(expected))
    return np.partition(samples, at, axis=1)[:, at] if at > 0 else np.full(len(samples), -np.inf)


def _packed(similarity: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Integers that sort pairs by falling float32 similarity, then by first and second token, (n,).

    The upper half is the similarity and the lower one the place, first << 16 | second, since numpy sorts integers ten
    times as fast as it argsorts floats stably. The bits of negative floats are flipped, because they rise as the number
    falls.
    """
    bits = (0 - similarity).view(np.int32)
    keys = (bits ^ (bits >> 31 & 0x7FFFFFFF)).astype(np.int64)
    keys <<= 2 * PLACE
    keys |= places
    return keys


def _unpacked(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first tokens, second tokens and similarities of keys."""
    bits = (keys >> 2 * PLACE).astype(np.int32)
    return keys >> PLACE & TOKEN, keys & TOKEN, 0 - (bits ^ (bits >> 31 & 0x7FFFFFFF)).view(np.float32)


def as_tensor(values: Values) -> Tensor:
    """The values as a tensor; read-only arrays are copied, since torch has no read-only tensors."""
    fixed = isinstance(values, np.ndarray) and not values.flags.writeable
    return torch.as_tensor(values.copy() if fixed else values)
