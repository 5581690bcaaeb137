"""The words that a model is asked for in a window.

A masked model is asked for the words at a seeded 15 % of the places of a window, each replaced by the mask token (the choice
of Devlin et al. 2019, without their random words); a causal one for every next token.
"""

from dataclasses import dataclass, replace

import numpy as np

from attn_core.errors import ModelError, TextError
from attn_core.models.records import LoadedModel
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
    return Targets(replace(passage, token_ids=ids), places, passage.token_ids[places])


def refuse_not_finite(model: LoadedModel, losses: np.ndarray) -> None:
    """Raises ModelError where a loss, or an entropy, is not a finite number."""
    if not np.isfinite(losses).all():
        raise ModelError(f"The losses of {model.spec.name} are not finite numbers: its weights may be damaged.")
