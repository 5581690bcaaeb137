"""What the heads make of every two words of a window: how alike, and how much one attends to the other."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from attn_core.models.head_outputs import Values
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import MEASURES, Measure
from attn_core.similarity.words import Words

Direction = Literal["attends", "attended"]  # the first word of a pair to the second, or by it
Map = Measure | Direction
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
MAPS: tuple[Map, ...] = (*MEASURES, *DIRECTIONS)
CHOSEN: Map = "centred"  # what is printed and drawn in a report; the tables have all


@dataclass(frozen=True, eq=False)
class WordOutputs:
    """What every head makes of the W words of a window.

    z: (layer, head, word, d_head), the mean over a word's tokens. attention: (layer, head, word, word), how much the first
    attends to the second, see `Words.attention`. last: (word, width), the mean of the last hidden state, None where the
    window was read without it.
    """

    z: np.ndarray
    attention: np.ndarray
    last: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads a layer)."""
        return self.z.shape[0], self.z.shape[1]

    def of_layer(self, layer: int) -> np.ndarray:
        """All maps of a layer in the order of `MAPS`, (map, head, word, word)."""
        similar = [context_similarity(self.z[layer], measure) for measure in MEASURES]
        attention = self.attention[layer]
        return np.stack([*similar, attention, attention.swapaxes(-1, -2)])

    def of_last_state(self) -> np.ndarray:
        """Cosines of the last hidden states, (1, word, word): what the model says with no head chosen."""
        assert self.last is not None, "this window was read with its last hidden state"
        return context_similarity(self.last[None], "cosine")


def of_words(z: Values, attention: Values, words: Words, last: Values | None = None) -> WordOutputs:
    """The same of a window that was read, with its attention maps (layer, head, query, key); its words each have a token."""
    return WordOutputs(words.mean(z), words.attention(attention), None if last is None else words.mean(last))
