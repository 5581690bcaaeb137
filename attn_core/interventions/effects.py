"""The effect of taking heads away: how far the last states of the model move, token by token and for the text as a whole.

An effect is 1 - cosine: of the sentence embedding, the mean of the last states over a window's tokens, and of each token's
last state. 0: nothing changed; 1: what is left has nothing in common with what was there.

The importance of every head is the effect of removing it alone, measured one by one, or estimated for all at once. The estimate:
1 - cosine is half the squared way that the normalised sentence embedding e goes. To first order a head that puts out z' in
place of z moves r . e by <d(r . e)/dz, z' - z>, summed over tokens; and the mean of the squares of these over random directions
r, each number of r from the standard normal distribution, is the squared way itself. So half the mean of the squares over a few
directions, one backward pass each, tells the importance of all heads together. (Michel et al. 2019 take the gradient of a loss
with respect to a mask of heads; that of 1 - cosine is 0 at the whole model.)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_fields

import numpy as np

from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.models.ablation import changes_of, replacements
from attn_core.models.attention import Change
from attn_core.models.capture import attached, last_states
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Replace
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

BATCH_TOKENS = 4096  # as many rows at once as make so many tokens
Removal = Sequence[Head]
DIRECTIONS = 8


@dataclass(frozen=True, eq=False)
class Effects:
    """What each of R removals does to one window. embedding: (R,); tokens: (R, N); both 1 - cosine."""

    embedding: np.ndarray
    tokens: np.ndarray


def effects_of(model: LoadedModel, passage: Passage, removals: Sequence[Removal], replace: Replace = "mean") -> Effects:
    """The effect of each removal, alone. replace: what removed heads put out instead."""
    whole = last_states(model, [passage])[0]
    embedding, tokens = [], []
    for states in states_without(model, passage, removals, replace):
        tokens.append(_apart(states, whole))
        embedding.append(_apart(states.mean(dim=1), whole.mean(dim=0)))
    if not removals:
        return Effects(np.zeros(0), np.zeros((0, len(passage))))
    return Effects(torch.cat(embedding).cpu().numpy(), torch.cat(tokens).cpu().numpy())


def states_without(
    model: LoadedModel, passage: Passage, removals: Sequence[Removal], replace: Replace = "mean"
) -> Iterator[Tensor]:
    """The last states (row, token, hidden) under each removal, as many rows at once as a batch holds."""
    size = max(1, BATCH_TOKENS // len(passage))
    for some in (removals[start : start + size] for start in range(0, len(removals), size)):
        heads = torch.zeros(len(some), model.layers, model.heads, dtype=torch.bool)
        for row, removal in enumerate(some):
            for head in removal:
                heads[row, head.layer, head.head] = True
        yield last_states(with_fields(model, changes=changes_of(model, replace, heads)), [passage] * len(some))


def embeddings_of(
    model: LoadedModel, passage: Passage, removals: Sequence[Removal], replace: Replace = "mean"
) -> np.ndarray:
    """The sentence embedding of a window under each removal, (R, hidden)."""
    states = states_without(model, passage, removals, replace)
    return torch.cat([some.mean(dim=1) for some in states]).cpu().numpy()


def _apart(states: Tensor, whole: Tensor) -> Tensor:
    """1 - cosine along the last axis, in double precision: small effects are differences of numbers near 1."""
    return (1 - torch.nn.functional.cosine_similarity(states.double(), whole.double(), dim=-1)).clamp_min(0)


def estimated_importance(model: LoadedModel, passage: Passage, replace: Replace = "mean", seed: int = 0) -> np.ndarray:
    """The effect on the sentence embedding of removing each head alone, (layer, head), to first order: see above.

    Raises InputError where attention is changed, which has no difference of outputs to begin with.
    """
    if replace == "even":
        raise InputError("Importance under 'even' is measured, not estimated: take mean, zero or resample.")
    states, z = attached(model, passage)
    embedding = torch.nn.functional.normalize(states.mean(dim=0), dim=0)
    away = _differences(model, replace, z)
    generator = torch.Generator().manual_seed(seed)
    squares = torch.zeros(model.layers, model.heads, dtype=torch.float64)
    for _ in range(DIRECTIONS):
        direction = torch.randn(embedding.shape, generator=generator).to(embedding)
        gradients = torch.autograd.grad(direction @ embedding, z, retain_graph=True)
        # By how much each head of a layer, alone, moves the number of which the gradient is, (head,).
        moved = [
            torch.einsum("nhd,nhd->h", _by_head(gradient, far.shape[1]), far)
            for gradient, far in zip(gradients, away, strict=True)
        ]
        squares += torch.stack(moved).double().cpu() ** 2
    return (squares / DIRECTIONS / 2).numpy()


def _differences(model: LoadedModel, replace: Replace, z: Sequence[Tensor]) -> list[Tensor]:
    """What each head would put out instead, less what it does, (token, head, d_head) by layer. z: as `attached` gives it."""
    everything = torch.ones(1, model.heads, dtype=torch.bool, device=model.device)
    outputs = [_by_head(layer.detach(), model.heads) for layer in z]
    return [
        Change(everything, values).replaced(own[None])[0] - own
        for values, own in zip(replacements(model, replace), outputs, strict=True)
    ]


def _by_head(layer: Tensor, heads: int) -> Tensor:
    """(token, head, d_head) of one passage, whether heads lie side by side or not."""
    return layer[0] if layer.ndim == 4 else layer[0].unflatten(-1, (heads, -1))
