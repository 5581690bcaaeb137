"""The maps of a window over its words: similarities by every head, and its attention from word to word."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from attn_core.models.head_outputs import Values
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import MEASURES, Measure
from attn_core.similarity.words import Words

Direction = Literal["attends", "attended"]  # the first word of a pair to the second, or the second to the first
Map = Measure | Direction
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
MAPS: tuple[Map, ...] = (*MEASURES, *DIRECTIONS)
CHOSEN: Map = "centred"  # what is printed, and drawn in a report; the tables have all


@dataclass(frozen=True, eq=False)
class WordOutputs:
    """The head outputs of the W words of a window.

    z: (layer, head, word, d_head), the mean over a word's tokens. attention: (layer, head, word, word), of the first
    word to the second, see `Words.attention`.
    """

    z: np.ndarray
    attention: np.ndarray

    def by_map(self, *functions: Callable[[np.ndarray], np.ndarray]) -> list[np.ndarray]:
        """The values (map, layer, head, n) of each function of the maps of a layer, (rows, word, word) -> (rows, n)."""
        by_layer: list[list[np.ndarray]] = [[] for _ in functions]
        for z, attention in zip(self.z, self.attention, strict=True):
            similar = [context_similarity(z, measure) for measure in MEASURES]
            maps = np.concatenate([*similar, attention, attention.swapaxes(-1, -2)])
            for values, function in zip(by_layer, functions, strict=True):
                values.append(function(maps).reshape(len(MAPS), len(z), -1))
        return [np.stack(values, axis=1) for values in by_layer]


def of_words(z: Values, attention: Values, words: Words) -> WordOutputs:
    """The head outputs of words, from those of tokens and attention maps (layer, head, query, key)."""
    return WordOutputs(words.mean(z), words.attention(attention))
