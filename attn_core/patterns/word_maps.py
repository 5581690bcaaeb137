"""Word-by-word maps of a window: the similarities and the attention of every head."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from attn_core.models.head_outputs import Values
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import MEASURES, Measure
from attn_core.similarity.words import Words

Direction = Literal["attends", "attended"]  # first word of a pair to the second, or second to first
Map = Measure | Direction
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
MAPS: tuple[Map, ...] = (*MEASURES, *DIRECTIONS)
CHOSEN: Map = "centred"  # the map of printed and drawn results; tables have all maps


@dataclass(frozen=True, eq=False)
class WordOutputs:
    """Head outputs and attention of the words of a window.

    z: (layer, head, word, d_head), mean over the tokens of a word. attention: (layer, head, word, word), from the first
    word to the second, see `Words.attention`.
    """

    z: np.ndarray
    attention: np.ndarray

    def by_map(self, *functions: Callable[[np.ndarray], np.ndarray]) -> list[np.ndarray]:
        """The values of each function of all maps, (map, layer, head, n). Function: (rows, word, word) -> (rows, n)."""
        by_layer: list[list[np.ndarray]] = [[] for _ in functions]
        for z, attention in zip(self.z, self.attention, strict=True):
            similar = [context_similarity(z, measure) for measure in MEASURES]
            maps = np.concatenate([*similar, attention, attention.swapaxes(-1, -2)])
            for values, function in zip(by_layer, functions, strict=True):
                values.append(function(maps).reshape(len(MAPS), len(z), -1))
        return [np.stack(values, axis=1) for values in by_layer]


def of_words(z: Values, attention: Values, words: Words) -> WordOutputs:
    """Head outputs and attention of words. z: of tokens. attention: (layer, head, query, key)."""
    return WordOutputs(words.mean(z), words.attention(attention))
