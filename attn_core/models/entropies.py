"""How sure of a word a model is at each layer: entropy and cross-entropy in bits, of its language-model head.

At the places of `targets`, of the head applied to each layer's states. Those between two layers meet the final norm where a
model has one ("logit lens", nostalgebraist 2020). Chance is an even guess among all words of the vocabulary.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from attn_core.models.capture import layer_states
from attn_core.models.language_head import LanguageHead
from attn_core.models.records import LoadedModel
from attn_core.models.targets import Targets, refuse_not_finite, targets_of
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

CHANCE = "chance_entropy"
PLACES = 64  # at once: a row of logits has as many numbers as the vocabulary has tokens


def entropies(model: LoadedModel, head: LanguageHead, passage: Passage, seed: int = 0) -> pd.DataFrame:
    """One row a layer: layer (0: the embeddings), places, entropy, cross_entropy, both the mean in bits over one window, and
    chance_entropy.

    Raises as `targets_of`, and ModelError where they are not finite.
    """
    here = targets_of(model, passage, seed)
    rows = []
    for layer, logits in enumerate(_logits(model, head, here)):
        sums = torch.zeros(2, dtype=torch.float64)
        for part, true in zip(logits, torch.from_numpy(here.true).split(PLACES), strict=True):
            log = torch.log_softmax(part.double(), dim=-1)
            sums[0] -= (log.exp() * log.clamp_min(torch.finfo(log.dtype).min)).sum().cpu()
            sums[1] -= log.gather(1, true[:, None].to(log.device)).sum().cpu()
        entropy, cross = (sums / len(here.places) / np.log(2)).tolist()
        rows.append((layer, len(here.places), entropy, cross, np.log2(part.shape[-1])))
    refuse_not_finite(model, np.array(rows))
    return pd.DataFrame(rows, columns=["layer", "places", "entropy", "cross_entropy", CHANCE])


@torch.inference_mode()
def _logits(model: LoadedModel, head: LanguageHead, here: Targets) -> Iterator[Iterator[Tensor]]:
    """Logits (place, vocabulary) of each layer's states at the places that are asked for, some places at a time.

    The last states have met the final norm already.
    """
    *between, last = (states[here.places] for states in layer_states(model, here.passage))
    for states in between:
        yield (head.logits_of_layer(some) for some in states.split(PLACES))
    yield (head.logits(some) for some in last.split(PLACES))
