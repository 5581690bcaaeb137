"""How similar are tokens of texts that have nothing to do with each other? What is as similar as strong pairs is noise.

Tensors end here, as in `selection`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attn_core.models.head_outputs import Values
from attn_core.numerics.threads import matrices_at_once, on_every_core
from attn_core.similarity.context_similarity import as_measured, inverse_lengths
from attn_core.similarity.selection import as_tensor, of_tokens, scaled, taken
from attn_core.similarity.strong_pairs import Measure, Noise, StrongPairs
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

UNRELATED_TOKENS = 128  # of one other text: with every token of this one they make pairs enough; our choice
OF_EACH = 48  # of each of several
BYTE = 255  # the most that a byte counts


@dataclass(frozen=True, eq=False)
class Tokens:
    """Tokens of a window that are held against those of other texts, T of them.

    token_ids: (T,). vectors: by measure, as it has them, (layer, head, token, d_head), of which those `at`, (T,), are meant.
    """

    token_ids: np.ndarray
    vectors: Mapping[Measure, Values]
    at: np.ndarray

    @classmethod
    def of(cls, passage: Passage, z: Values, at: np.ndarray, measure: Measure) -> "Tokens":
        """z: of all tokens of the window, without a copy. Where the cosine does not follow from the measure, it is there too."""
        measures: tuple[Measure, ...] = (measure, "cosine") if measure == "centred" else (measure,)
        return cls(passage.token_ids[at], {one: as_measured(as_tensor(z), one) for one in measures}, at)

    def alone(self) -> "Tokens":
        """A copy that keeps no other token of the window."""
        vectors = {measure: taken(as_tensor(z), 2, self.at).cpu() for measure, z in self.vectors.items()}
        return Tokens(self.token_ids, vectors, np.arange(len(self.at)))

    def chosen(self, measure: Measure) -> Tensor:
        return taken(as_tensor(self.vectors[measure]), 2, self.at)


@dataclass(frozen=True, eq=False)
class Bars:
    """What the weakest strong pair of each head reaches, and the weakest of as many of largest cosine, (layer, head) each.

    number, of: a head's strong pairs, and all of which they are chosen.
    """

    strong: np.ndarray
    aligned: np.ndarray
    number: int
    of: int

    @classmethod
    def from_pairs(cls, pairs: StrongPairs, aligned: np.ndarray) -> "Bars":
        return cls(pairs.similarity[..., -1], aligned, pairs.shape[2], len(pairs.all_pairs[0]))


def find_noise(own: Tokens, bars: Bars, measure: Measure, others: Sequence[Tokens]) -> Noise:
    """How often tokens of a window and tokens of other texts reach its bars; of no pair where there is no other text."""
    if not others:
        none = np.zeros((2, *bars.strong.shape), dtype=np.int64)
        return Noise(none, np.zeros(2, dtype=np.int64), none[0], np.zeros((0, *bars.strong.shape)))
    ends = np.cumsum([len(other.at) for other in others])
    same = np.flatnonzero(own.token_ids[:, None] == np.concatenate([other.token_ids for other in others]))

    def beside(measure: Measure) -> Tensor:
        return torch.cat([other.chosen(measure) for other in others], dim=2)

    def reached_by(measure: Measure, *bar: np.ndarray) -> list[np.ndarray]:
        return _reached(bar, own.vectors[measure], own.at, beside(measure), same, ends)

    if measure == "centred":
        (reached,), (reached_aligned,) = reached_by(measure, bars.strong), reached_by("cosine", bars.aligned)
    else:
        reached, *more = reached_by(measure, *((bars.strong, bars.aligned) if measure == "dot" else (bars.strong,)))
        reached_aligned = more[0] if more else reached
    looked = len(own.at) * int(ends[-1])
    by_chance = len(own.at) * np.diff(ends, prepend=0) * (bars.number / bars.of)
    return Noise(
        reached[:2], np.array([looked, looked - len(same)]), reached_aligned[0], reached[2:] / by_chance[:, None, None]
    )


def places_looked_at(other: Passage, with_special: bool, at_most: int) -> np.ndarray:
    """Positions of the tokens of the other text that are looked at: all that may pair, or so many of them, evenly spaced."""
    positions = np.arange(len(other)) if with_special else np.flatnonzero(~other.is_special)
    if len(positions) <= at_most:
        return positions
    return positions[np.arange(at_most) * len(positions) // at_most]


def beside_texts(others: Sequence[tuple[Passage, Values]], measure: Measure, with_special: bool) -> Tensor:
    """The tokens of each other text that are looked at, as a measure has them, joined: (layer, head, token, d_head)."""
    return torch.cat([one.chosen(measure) for one in tokens_beside(others, measure, with_special)], dim=2)


def tokens_beside(others: Sequence[tuple[Passage, Values]], measure: Measure, with_special: bool) -> list[Tokens]:
    """The tokens of each other text that are looked at."""
    at_most = UNRELATED_TOKENS if len(others) == 1 else OF_EACH
    return [Tokens.of(passage, z, places_looked_at(passage, with_special, at_most), measure) for passage, z in others]


def reached_bars(z: Values, eligible: np.ndarray, beside: Tensor, bars: np.ndarray) -> np.ndarray:
    """How many pairs with unrelated tokens are at least as similar as each bar of each head: (layer, head, bar) both.

    z: as the measure has it, of all tokens of the window; eligible: those that may pair, (N,) bool. beside: `beside_texts`.
    """
    z = as_tensor(z)

    def of_head(layer: int, head: int) -> list[int]:
        here = of_tokens(z[layer, head, None], eligible)[0]
        similarity = (here @ beside[layer, head].T).cpu().numpy()
        return [int(np.count_nonzero(similarity >= bar)) for bar in bars[layer, head]]

    return np.array([[of_head(layer, head) for head in range(z.shape[1])] for layer in range(z.shape[0])])


def _reached(
    kinds: Sequence[np.ndarray], z: Values, at: np.ndarray, other_z: Tensor, same: np.ndarray, ends: np.ndarray
) -> list[np.ndarray]:
    """How many pairs reach the bars of strong pairs, (layer, head), by scalar product; and those of aligned ones, by cosine.

    (2 + texts, layer, head) each: of all pairs, of those of two token ids, and of those with each of the other texts. z: all
    tokens of the window, of which those `at` may pair; other_z: the tokens of the other texts, of which each ends where `ends`
    says. same: which of the pairs, row by row, are of one token id.
    """
    z = as_tensor(z)
    shape = len(at), other_z.shape[2]
    some = min(matrices_at_once(shape[0] * shape[1], z.device), z.shape[1])
    of_one_id = torch.from_numpy(same).to(z.device)
    other_z = other_z.to(z.device)
    bars = torch.from_numpy(np.stack(kinds, axis=2)).to(z.device)

    def counted(blocks: Sequence[tuple[Tensor, ...]]) -> list[np.ndarray]:
        room = torch.empty(some, *shape, device=z.device)
        counts = []
        for every, its, bar in blocks:
            own = every if len(at) == every.shape[1] else taken(every, 1, at)
            similarity = torch.bmm(own, its.transpose(-1, -2), out=room[: len(own)])
            reached = [_counted(similarity, bar[:, :1], of_one_id, ends)]
            if len(kinds) > 1:
                scaled(similarity, inverse_lengths(own), inverse_lengths(its))
                reached.append(_counted(similarity, bar[:, 1:], of_one_id, ends))
            counts.append(np.stack(reached))
        return counts

    blocks = [
        block
        for layer in zip(z, other_z, bars, strict=True)
        for block in zip(*(part.split(some) for part in layer), strict=True)
    ]
    return list(
        np.concatenate(on_every_core(counted, blocks, z.device), axis=2).reshape(
            len(kinds), 2 + len(ends), *bars.shape[:2]
        )
    )


def _counted(similarity: Tensor, bars: Tensor, of_one_id: Tensor, ends: np.ndarray) -> np.ndarray:
    """How many similarities reach each head's bar, see `_reached`, (2 + texts, head).

    similarity: (head, own token, other token), bars: (head, 1). On a processor by numpy, which counts bytes faster than torch.
    """
    if similarity.device.type == "cpu":
        passed = (similarity.numpy() >= bars.numpy()[..., None]).view(np.uint8)
        parts = (passed[:, at : at + BYTE] for at in range(0, passed.shape[1], BYTE))
        by_token = sum(part.sum(axis=1, dtype=np.uint8).astype(np.int64) for part in parts)
    else:
        by_token = (similarity >= bars[..., None]).sum(dim=1).cpu().numpy()
    of_texts = np.add.reduceat(by_token, [0, *ends[:-1]], axis=1).T
    alike = (similarity.flatten(1).index_select(1, of_one_id) >= bars).sum(dim=1).cpu().numpy()
    reached = of_texts.sum(axis=0)
    return np.stack([reached, reached - alike, *of_texts])
