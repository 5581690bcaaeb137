"""Sources: the tokens that both ends of strong pairs read, which is why the pairs are alike.

The contributions of tokens to a similarity add up to it (see `similarity.contributions`). The share of a token is that
of its contributions in the similarities of a head's strong pairs; its chance level is the same of as many average
pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from attn_core.displayed import Displayed
from attn_core.head import Head
from attn_core.measures.frames import head_frame
from attn_core.measures.token_coverage import TokenCoverage, united
from attn_core.similarity.context_similarity import ROUNDING, SHORTEST
from attn_core.similarity.strong_pairs import Measure
from attn_core.similarity.words import Readable

LISTED = 10  # tokens of a head
ALIKE, LEAST = 3, 0.05  # tokens that a source makes alike, and the least share of strong pairs that each touches


@dataclass(frozen=True, eq=False)
class SourceCounts:
    """What strong pairs read of V distinct tokens, summed over windows.

    token_ids: (V,), rising. occurrences: (V,). strong: (layer, head, V), the contributions to the similarities of
    strong pairs; expected: to those of as many average pairs. total: (layer, head), the similarities of strong pairs.
    """

    token_ids: np.ndarray
    tokens: tuple[str, ...]
    occurrences: np.ndarray
    strong: np.ndarray
    expected: np.ndarray
    total: np.ndarray

    @property
    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """The share of each token and its chance level, (layer, head, V) each; NaN for a head without sources."""
        total = np.where(self.total > 0, self.total, np.nan)[..., None]
        return self.strong / total, self.expected / total

    def without(self, heads: Sequence[Head]) -> "SourceCounts":
        """The same without sources of some heads, whose outputs are no sums of values."""
        total = self.total.copy()
        for head in heads:
            total[head] = np.nan
        return replace(self, total=total)


def count_sources(units: Readable, strong: np.ndarray, expected: np.ndarray, total: np.ndarray) -> SourceCounts:
    """The counts of one window. strong, expected: by token of the window, (layer, head, N); total: (layer, head)."""
    ids, place = np.unique(units.ids, return_inverse=True)
    names = dict(zip(units.ids.tolist(), units.names, strict=True))
    sums = np.zeros((len(ids), 2, *total.shape))
    np.add.at(sums, place[units.of_token], np.moveaxis(np.array([strong, expected]), -1, 0))
    tokens, (of_strong, of_every) = tuple(names[one] for one in ids.tolist()), np.moveaxis(sums, 0, -1)
    return SourceCounts(ids, tokens, np.bincount(place), of_strong, of_every, total)


def added(parts: Sequence[SourceCounts]) -> SourceCounts:
    """The sum of one or more counts."""
    total = np.sum([part.total for part in parts], axis=0)
    return SourceCounts(**united(parts, ("occurrences", "strong", "expected")), total=total)


def source_table(counts: SourceCounts) -> pd.DataFrame:
    """One row per head and rank: the tokens whose share exceeds chance most; none for a head without sources."""
    share, chance = counts.shares
    ranked = np.argsort(chance - share, axis=-1, kind="stable")[..., :LISTED]
    columns = {
        "rank": np.broadcast_to(np.arange(1, ranked.shape[-1] + 1), ranked.shape),
        "token": np.array(counts.tokens, dtype=object)[ranked],
        "token_id": counts.token_ids[ranked],
        "occurrences": counts.occurrences[ranked],
        "share": np.take_along_axis(share, ranked, axis=-1),
        "chance_share": np.take_along_axis(chance, ranked, axis=-1),
    }
    table = head_frame(columns, *ranked.shape)
    return table[np.isfinite(table["share"])].reset_index(drop=True)


NO_SOURCES = source_table(
    SourceCounts(np.arange(0), (), np.arange(0), np.zeros((0, 0, 0)), np.zeros((0, 0, 0)), np.zeros((0, 0)))
)


def largest_excess(table: pd.DataFrame) -> float:
    """The largest share above chance of any token in any head; NaN without sources. table: of `source_table`."""
    return float((table["share"] - table["chance_share"]).max())


def made_alike(coverage: TokenCoverage, head: Head, source: int, content: Sequence[int]) -> list[int]:
    """The ids of up to three tokens that touch most of a head's strong pairs, at least 5 % each, without its source.

    Words of content if the source is one. content: token ids, of `content_tokens`.
    """
    of_head, ids = coverage.shares[head], coverage.token_ids
    counted = (of_head >= LEAST) & (ids != source) & (np.isin(ids, content) if source in content else True)
    order = np.argsort(-of_head, kind="stable")
    return ids[order[counted[order]]][:ALIKE].tolist()


@dataclass(frozen=True, eq=False)
class Explanation(Displayed):
    """Why two tokens are alike in a head: the contributions of all tokens that they read add up to their similarity.

    first, second: positions as in `pairs`. same_source: the part of the similarity that comes from reading the same
    token; the rest comes from different tokens whose values are alike. common: the mean similarity of all pairs of the
    window. attention: from the first token to the second, and from the second to the first. tokens: one row per token,
    in the order of reading: position (-1 for a special token beside words), token, contribution (negative where it
    makes the two less alike), first_attention and second_attention, what either gives to it.
    """

    head: Head
    first: int
    second: int
    similarity: float
    same_source: float
    common: float
    attention: tuple[float, float]
    tokens: pd.DataFrame


def explanation(
    head: Head, ends: tuple[int, int], units: Readable, rows: np.ndarray, values: np.ndarray, measure: Measure,
    common: float,
) -> Explanation:  # fmt: skip
    """The explanation of one pair. ends: positions. rows: (3, N), the attention of either end, and the mean of all."""
    attention = units.total(rows[:2].T)
    weights, mean = rows[:2], rows[2]
    if measure == "centred":
        weights = weights - mean
    first, second = (units.total(weight[:, None] * values) for weight in weights)  # of each unit, add up to z
    z, other = first.sum(axis=0), second.sum(axis=0)
    least = ROUNDING * np.linalg.norm(mean @ values) if measure == "centred" else SHORTEST
    lengths = np.linalg.norm(z), np.linalg.norm(other)
    scale = 1.0 if measure == "dot" else 1 / np.prod(lengths) if min(lengths) > least else 0.0
    contribution = scale * (first @ other + second @ z) / 2
    tokens = pd.DataFrame(
        {
            "position": units.positions,
            "token": units.names,
            "contribution": contribution,
            "first_attention": attention[:, 0],
            "second_attention": attention[:, 1],
        }
    )
    at = [int(np.flatnonzero(units.positions == end)[0]) for end in ends]
    return Explanation(
        head,
        *ends,
        similarity=float(contribution.sum()),
        same_source=float(scale * (first * second).sum()),
        common=common,
        attention=(float(attention[at[1], 0]), float(attention[at[0], 1])),
        tokens=tokens,
    )
