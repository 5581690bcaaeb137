"""The loss of a model as heads go, in bits a token: the mean of -log2 of the probability that its language-model head gives the
true token, at the places of `models.targets`.
"""

from collections.abc import Sequence

import numpy as np

from attn_core.interventions.effects import Removal, states_without
from attn_core.models.language_head import LanguageHead
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Replace
from attn_core.models.targets import refuse_not_finite, targets_of
from attn_core.tensors import torch
from attn_core.texts.passages import Passage


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
