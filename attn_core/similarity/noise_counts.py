"""Similarity of a window's tokens to tokens of unrelated texts, compared with that of its strong pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attn_core.models.head_outputs import Values, as_array
from attn_core.similarity.context_similarity import as_measured
from attn_core.similarity.strong_pairs import Measure, StrongPairs
from attn_core.texts.reference_texts import REFERENCES

TOKENS = 12  # tokens of each reference text; our choice
# Name of a reference text -> measure -> vectors of some of its tokens, (layer, head, token, d_head).
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
    from attn_core.similarity.device_selection import count_similar
    from attn_core.similarity.selection import as_tensor
    from attn_core.tensors import torch

    z, texts = as_tensor(z), [text for text, name in enumerate(REFERENCES) if name in references]
    of_texts = [as_tensor(references[REFERENCES[text]][measure]) for text in texts]
    sizes = [vectors.shape[2] for vectors in of_texts]
    spans = [slice(end - size, end) for size, end in zip(sizes, np.cumsum(sizes), strict=True)]
    weakest = np.stack([pairs.similarity[..., -1] for pairs in choices])  # (choice, layer, head)
    reached = np.zeros((len(choices), len(REFERENCES), *z.shape[:2]), dtype=np.int64)
    looked = np.zeros((len(choices), len(REFERENCES)), dtype=np.int64)
    looked[:, texts] = np.outer([pairs.eligible.sum() for pairs in choices], sizes)
    unable = [np.flatnonzero(~pairs.eligible) for pairs in choices]

    def count(layers: Sequence[int]) -> list[None]:
        for layer in layers if texts else ():
            own, foreign = as_measured(z[layer], measure), torch.cat([vectors[layer] for vectors in of_texts], dim=1)
            for head in range(len(own)):
                similarity = as_array(foreign[head] @ own[head].mT)
                for number, reaching in enumerate(reached):
                    above = similarity >= weakest[number, layer, head]
                    above[:, unable[number]] = False
                    reaching[texts, layer, head] = [np.count_nonzero(above[span]) for span in spans]
        return []

    if z.is_cuda and texts:
        eligible = [pairs.eligible for pairs in choices]
        reached[:, texts] = count_similar(as_measured(z, measure), of_texts, weakest, eligible)
    else:
        on_every_core(count, range(len(z)), z.device)
    return [Noise(*of_choice) for of_choice in zip(reached, looked, strict=True)]
