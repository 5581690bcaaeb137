"""Similarity of a window's tokens to tokens of unrelated texts, compared with that of its strong pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from attn_core.models.head_outputs import Values, as_array
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.strong_pairs import Measure, StrongPairs
from attn_core.texts.documents import REFERENCES

TOKENS = 48  # tokens of each reference text; our choice
# File of a reference text -> measure -> vectors of some of its tokens, (layer, head, token, d_head).
ReferenceTokens = Mapping[str, Mapping[Measure, Values]]


@dataclass(frozen=True, eq=False)
class Noise:
    """Counts of pairs of a window's token and a reference token that are as similar as the weakest strong pair.

    reached: (text, layer, head), their number for each of `REFERENCES`. looked: (text,), the number of all such pairs;
    0 for a text that was not read.
    """

    reached: np.ndarray
    looked: np.ndarray


def find_noise(z: Values, choices: Sequence[StrongPairs], measure: Measure, references: ReferenceTokens) -> list[Noise]:
    """The noise for each of several selections of strong pairs by one measure.

    z: (layer, head, token, d_head), of all tokens of the window; an array or a tensor, like the references.
    """
    from attn_core.numerics.threads import on_every_core  # which imports torch

    weakest = np.stack([pairs.similarity[..., -1] for pairs in choices])  # (choice, layer, head)
    reached = np.zeros((len(choices), len(REFERENCES), *z.shape[:2]), dtype=np.int64)
    looked = np.zeros((len(choices), len(REFERENCES)), dtype=np.int64)
    unable = [np.flatnonzero(~pairs.eligible) for pairs in choices]

    def count(layers: Sequence[int]) -> list[None]:
        for layer in layers:
            own = as_measured(z[layer], measure)
            for text in texts:
                similarity = as_array(references[REFERENCES[text]][measure][layer] @ own.swapaxes(-1, -2))
                for head, number in product(range(len(similarity)), range(len(choices))):
                    above = similarity[head] >= weakest[number, layer, head]
                    # Subtracting the few ineligible tokens is faster than copying the others.
                    of_unable = np.count_nonzero(above[:, unable[number]])
                    reached[number, text, layer, head] = np.count_nonzero(above) - of_unable
                looked[:, text] = [similarity.shape[1] * pairs.eligible.sum() for pairs in choices]
        return []

    texts = [text for text, file in enumerate(REFERENCES) if file in references]
    on_every_core(count, range(len(z)))
    return [Noise(*of_choice) for of_choice in zip(reached, looked, strict=True)]
