"""The language-model head of a model: its loss as heads go, in bits a token, and how sure of a word it is at each layer.

A masked model is asked for the words at a seeded 15 % of the places of a window, each replaced by the mask token (the choice
of Devlin et al. 2019, without their random words); a causal one for every next token. The loss is the mean of -log2 of the
probability that it gives the true token.

Entropy and cross-entropy are in bits, at the same places, of the head applied to each layer's states. Those between two layers
meet the final norm where a model has one ("logit lens", nostalgebraist 2020). Chance is an even guess among all words of the
vocabulary.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_fields

import numpy as np
import pandas as pd

from attn_core.errors import ModelError, TextError
from attn_core.interventions.effects import Removal, states_without
from attn_core.models.capture import layer_states
from attn_core.models.language_head import LanguageHead
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Replace
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

MASKED_SHARE = 0.15
CHANCE = "chance_entropy"
PLACES = 64  # at once: a row of logits has as many numbers as the vocabulary has tokens


@dataclass(frozen=True, eq=False)
class Targets:
    """The words to predict in a window: what the model reads, whose states answer, and the tokens that are true there.

    places, true: (P,).
    """

    passage: Passage
    places: np.ndarray
    true: np.ndarray


def targets_of(model: LoadedModel, passage: Passage, seed: int = 0) -> Targets:
    """Which words a model is asked for in a window. seed: of the places that are masked.

    Raises TextError for a window without a word to ask for, and ModelError for a masked model without a
    mask token.
    """
    words = np.flatnonzero(~passage.is_special)
    if model.causal:
        words = words[words > 0]
    if not len(words):
        raise TextError(
            "There is no word here with one before it, which a causal model could be asked for."
            if model.causal
            else "There is no place to mask here: special tokens are no words."
        )
    if model.causal:
        return Targets(passage, words - 1, passage.token_ids[words])
    if model.tokenizer.mask_token_id is None:
        raise ModelError(f"The tokenizer of {model.spec.name} has no mask token, so that no word can be asked for.")
    number = max(1, round(MASKED_SHARE * len(words)))
    places = np.sort(np.random.default_rng([seed, passage.index]).choice(words, number, replace=False))
    ids = passage.token_ids.copy()
    ids[places] = model.tokenizer.mask_token_id
    return Targets(with_fields(passage, token_ids=ids), places, passage.token_ids[places])


def losses_of(
    model: LoadedModel,
    head: LanguageHead,
    passage: Passage,
    removals: Sequence[Removal],
    replace: Replace = "mean",
    seed: int = 0,
) -> np.ndarray:
    """The loss of one window under each removal, (R,), in bits; an empty removal gives that of the whole model.

    Raises ModelError where a loss is not finite, and as `targets_of`.
    """
    here, of_removals = targets_of(model, passage, seed), []
    for states in states_without(model, here.passage, removals, replace):
        true = torch.from_numpy(here.true).to(states.device)
        of_removals += [torch.nn.functional.cross_entropy(head.logits(row[here.places]), true) for row in states]
    losses = torch.stack(of_removals).div(np.log(2)).cpu().numpy() if of_removals else np.zeros(0)
    refuse_not_finite(model, losses)
    return losses


def refuse_not_finite(model: LoadedModel, losses: np.ndarray) -> None:
    """Raises ModelError where a loss, or an entropy, is not a finite number."""
    if not np.isfinite(losses).all():
        raise ModelError(f"The losses of {model.spec.name} are not finite numbers: its weights may be damaged.")


def entropies(model: LoadedModel, head: LanguageHead, passage: Passage, seed: int = 0) -> pd.DataFrame:
    """One row a layer: layer (0: the embeddings), places, entropy, cross_entropy, both the mean in bits over one window, and
    chance_entropy.

    Raises as `losses.targets_of`, and ModelError where they are not finite.
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
