"""One window as the measures see it: what a statistic is counted of."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attn_core.measures.token_coverage import TokenCoverage, repeated
from attn_core.similarity.noise import Noise
from attn_core.similarity.strong_pairs import StrongPairs


@dataclass(frozen=True, eq=False)
class Window:
    """The strong pairs of a passage, what they are held against, and the attention that its tokens receive.

    lengths: (layer, head, token), of the head outputs. noise: how alike tokens of reference texts are.
    received: (layer, head, token), mean over the queries. even: (token,), what even attention would give them.
    """

    pairs: StrongPairs
    lengths: np.ndarray
    noise: Noise
    received: np.ndarray
    even: np.ndarray

    @cached_property
    def repeated(self) -> TokenCoverage:
        """The strong pairs that are each token twice."""
        return repeated(self.pairs)
