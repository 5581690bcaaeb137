"""Entropy and cross-entropy of the language-model head by layer, in bits, at the words to predict in a window.

A masked model predicts a random 15 % of the words of a window, each replaced by the mask token (Devlin et al. 2019,
without their random words); a causal model predicts every next token. States between two layers pass the final norm of
a model that has one ("logit lens", nostalgebraist 2020). Chance is the entropy of even probabilities of all words of
the vocabulary.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from attn_core.errors import ModelError, TextError
from attn_core.models.capture import layer_states
from attn_core.models.language_head import LanguageHead
from attn_core.models.records import LoadedModel
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

MASKED_SHARE = 0.15
ENTROPIES = ("entropy", "cross_entropy")
CHANCE = "chance_entropy"
PLACES = 64  # at once: a row of logits has as many numbers as the vocabulary has tokens


@dataclass(frozen=True, eq=False)
class Targets:
    """The passage to read, the places (P,) whose states predict a word, and the ids (P,) of these words."""

    passage: Passage
    places: np.ndarray
    true: np.ndarray


def targets_of(model: LoadedModel, passage: Passage) -> Targets:
    """The words to predict in a window, the same ones in every call. Raises TextError for a window that has none."""
    words = np.flatnonzero(~passage.is_special)
    if model.causal:
        words = words[words > 0]
    if not len(words):
        raise TextError("This window has no word that the model could predict.")
    if model.causal:
        return Targets(passage, words - 1, passage.token_ids[words])
    number = max(1, round(MASKED_SHARE * len(words)))
    places = np.sort(np.random.default_rng([0, passage.index]).choice(words, number, replace=False))
    ids = passage.token_ids.copy()
    ids[places] = model.tokenizer.mask_token_id
    return Targets(replace(passage, token_ids=ids), places, passage.token_ids[places])


def entropies(model: LoadedModel, head: LanguageHead, passage: Passage) -> pd.DataFrame:
    """A row per layer: layer (0: the embeddings), places, mean entropy and cross_entropy over places, chance_entropy.

    Raises TextError as `targets_of`, and ModelError for numbers that are not finite.
    """
    here = targets_of(model, passage)
    rows = []
    for layer, logits in enumerate(_logits(model, head, here)):
        sums = torch.zeros(2, dtype=torch.float64)
        for part, true in zip(logits, torch.from_numpy(here.true).split(PLACES), strict=True):
            log = torch.log_softmax(part.double(), dim=-1)
            sums[0] -= (log.exp() * log.clamp_min(torch.finfo(log.dtype).min)).sum().cpu()
            sums[1] -= log.gather(1, true[:, None].to(log.device)).sum().cpu()
        entropy, cross = (sums / len(here.places) / np.log(2)).tolist()
        rows.append((layer, len(here.places), entropy, cross, np.log2(part.shape[-1])))
    if not np.isfinite(rows).all():
        raise ModelError(f"The entropies of {model.spec.name} are not finite numbers: its weights may be damaged.")
    return pd.DataFrame(rows, columns=["layer", "places", *ENTROPIES, CHANCE])


@torch.inference_mode()
def _logits(model: LoadedModel, head: LanguageHead, here: Targets) -> Iterator[Iterator[Tensor]]:
    """Logits (place, vocabulary) of each layer's states, at a few of the places at a time."""
    *between, last = (states[here.places] for states in layer_states(model, here.passage))
    for states in between:
        yield (head.logits_of_layer(some) for some in states.split(PLACES))
    yield (head.logits(some) for some in last.split(PLACES))
