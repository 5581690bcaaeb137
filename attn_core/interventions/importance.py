"""The importance of every head: the effect of removing it alone, measured one by one, or estimated for all at once.

The estimate: 1 - cosine is half the squared way that the normalised sentence embedding e goes. To first order a head that
puts out z' in place of z moves r . e by <d(r . e)/dz, z' - z>, summed over tokens; and the mean of the squares of these over
random directions r, each number of r from the standard normal distribution, is the squared way itself. So half the mean of
the squares over a few directions, one backward pass each, tells the importance of all heads together. (Michel et al. 2019
take the gradient of a loss with respect to a mask of heads; that of 1 - cosine is 0 at the whole model.)
"""

from collections.abc import Callable, Sequence

import numpy as np

from attn_core.errors import InputError
from attn_core.head import every_head
from attn_core.interventions.effects import effects_of
from attn_core.models.capture import attached
from attn_core.models.intervened import intervened
from attn_core.models.intervention import BY_MEAN, CHANGES_OF_ATTENTION, Intervention
from attn_core.models.records import LoadedModel
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

DIRECTIONS = 8


def measured_importance(
    model: LoadedModel,
    passages: Sequence[Passage],
    how: Intervention = BY_MEAN,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """Effect on the sentence embedding of removing each head alone, (passage, layer, head)."""
    alone = [[head] for head in every_head(model.layers, model.heads)]
    effects = []
    for done, passage in enumerate(passages):
        if progress:
            progress(done, len(passages))
        effects.append(effects_of(model, passage, alone, how).embedding.reshape(model.layers, model.heads))
    return np.stack(effects)


def estimated_importance(
    model: LoadedModel, passage: Passage, how: Intervention = BY_MEAN, directions: int = DIRECTIONS, seed: int = 0
) -> np.ndarray:
    """The same of one passage, (layer, head), to first order, from as many backward passes as there are directions.

    Raises InputError where attention is changed, which has no difference of outputs to begin with.
    """
    if how.replace in CHANGES_OF_ATTENTION:
        raise InputError(f"Importance under {how.replace!r} is measured, not estimated: take mean, zero or resample.")
    states, z = attached(model, passage)
    embedding = torch.nn.functional.normalize(states.mean(dim=0), dim=0)
    away = _differences(model, how, z)
    generator = torch.Generator().manual_seed(seed)
    squares = torch.zeros(model.layers, model.heads, dtype=torch.float64)
    for _ in range(directions):
        direction = torch.randn(embedding.shape, generator=generator).to(embedding)
        gradients = torch.autograd.grad(direction @ embedding, z, retain_graph=True)
        # By how much each head of a layer, alone, moves the number of which the gradient is, (head,).
        moved = [
            torch.einsum("nhd,nhd->h", _by_head(gradient, far.shape[1]), far)
            for gradient, far in zip(gradients, away, strict=True)
        ]
        squares += torch.stack(moved).double().cpu() ** 2
    return (squares / directions / 2).numpy()


def _differences(model: LoadedModel, how: Intervention, z: Sequence[Tensor]) -> list[Tensor]:
    """What each head would put out instead, less what it does, (token, head, d_head) by layer. z: as `attached` gives it."""
    everything = Intervention(tuple(every_head(model.layers, model.heads)), how.replace, texts=how.texts)
    change = intervened(model, everything).change
    assert change is not None and change.values is not None, "mean, zero and resample are values"
    outputs = [_by_head(layer.detach(), model.heads) for layer in z]
    return [change.layer(n).replaced(own[None])[0] - own for n, own in enumerate(outputs)]


def _by_head(layer: Tensor, heads: int) -> Tensor:
    """(token, head, d_head) of one passage, whether heads lie side by side or not."""
    return layer[0] if layer.ndim == 4 else layer[0].unflatten(-1, (heads, -1))
