"""One window as the measures see it: what a statistic is counted of."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attn_core.measures.token_coverage import TokenCoverage, touched_and_repeated
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.similarity.context_similarity import lengths
from attn_core.similarity.noise import Noise
from attn_core.similarity.strong_pairs import StrongPairs


@dataclass(frozen=True, eq=False)
class Window:
    """The strong pairs of a passage, the head outputs that made them strong, and how alike tokens of reference texts are."""

    pairs: StrongPairs
    output: HeadOutputs
    noise: Noise

    @cached_property
    def received(self) -> np.ndarray:
        """The attention weight that each token receives, mean over the queries, (layer, head, token)."""
        return as_array(self.output.received)

    @cached_property
    def lengths(self) -> np.ndarray:
        """Of the head outputs, (layer, head, token)."""
        return lengths(as_array(self.output.z))

    @property
    def touched(self) -> TokenCoverage:
        """The strong pairs that touch each token."""
        return self._covered[0]

    @property
    def repeated(self) -> TokenCoverage:
        """The strong pairs that are each token twice."""
        return self._covered[1]

    @cached_property
    def _covered(self) -> tuple[TokenCoverage, TokenCoverage]:
        return touched_and_repeated(self.pairs)
