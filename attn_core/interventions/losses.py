"""The loss of the language-model head as heads go, in bits a token: what a model gets wrong without them.

A masked model is asked for the words at a seeded 15 % of the places of a window, each replaced by the mask token (the choice
of Devlin et al. 2019, without their random words); a causal one for every next token. The loss is the mean of -log2 of the
probability that it gives the true token.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attn_core.errors import ModelError, TextError
from attn_core.interventions.effects import Removal, states_without
from attn_core.models.intervention import BY_MEAN, Intervention
from attn_core.models.language_head import LanguageHead
from attn_core.models.records import LoadedModel
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

MASKED_SHARE = 0.15


@dataclass(frozen=True, eq=False)
class Targets:
    """The words to predict in a window: what the model reads, whose states answer, and the tokens that are true there.

    places, true: (P,).
    """

    passage: Passage
    places: np.ndarray
    true: np.ndarray


def targets_of(model: LoadedModel, passage: Passage, seed: int = 0, position: int | None = None) -> Targets:
    """Which words a model is asked for in a window. seed: of the places that are masked. position: of one word alone.

    Raises TextError for a window, or a position, without a word to ask for, and ModelError for a masked model without a
    mask token.
    """
    words = np.flatnonzero(~passage.is_special)
    if model.causal:
        words = words[words > 0]
    if position is not None:
        words = words[words == position]
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
    return Targets(replace(passage, token_ids=ids), places, passage.token_ids[places])


def losses_of(
    model: LoadedModel,
    head: LanguageHead,
    passage: Passage,
    removals: Sequence[Removal],
    how: Intervention = BY_MEAN,
    seed: int = 0,
) -> np.ndarray:
    """The loss of one window under each removal, (R,), in bits; an empty removal gives that of the whole model.

    Raises ModelError where a loss is not finite, and as `targets_of`.
    """
    here, of_removals = targets_of(model, passage, seed), []
    for states in states_without(model, here.passage, removals, how):
        of_removals += [loss_at(head, row, here) for row in states]
    losses = torch.stack(of_removals).cpu().numpy() if of_removals else np.zeros(0)
    refuse_not_finite(model, losses)
    return losses


def refuse_not_finite(model: LoadedModel, losses: np.ndarray) -> None:
    """Raises ModelError where a loss, or an entropy, is not a finite number."""
    if not np.isfinite(losses).all():
        raise ModelError(f"The losses of {model.spec.name} are not finite numbers: its weights may be damaged.")


def loss_at(head: LanguageHead, states: Tensor, here: Targets) -> Tensor:
    """The loss of one window in bits, of its last states (token, hidden)."""
    true = torch.from_numpy(here.true).to(states.device)
    return torch.nn.functional.cross_entropy(head.logits(states[here.places]), true) / np.log(2)
