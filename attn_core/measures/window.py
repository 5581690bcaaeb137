"""One window as the measures see it: what a statistic is counted of."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attn_core.measures.token_coverage import TokenCoverage, repeated
from attn_core.similarity.strong_pairs import Strength, StrongPairs


@dataclass(frozen=True, eq=False)
class Window:
    """The strong pairs of a passage, what they are made of, and the attention that its tokens receive.

    received: (layer, head, token), mean over the queries. even: (token,), what even attention would give them.
    """

    pairs: StrongPairs
    strength: Strength
    received: np.ndarray
    even: np.ndarray

    @cached_property
    def repeated(self) -> TokenCoverage:
        """The strong pairs that are each token twice."""
        return repeated(self.pairs)
