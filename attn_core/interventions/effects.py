"""Effects of removing heads on the last hidden states of the model, per token and per window.

An effect is 1 - cosine between the states with and without some heads, of a token or of the sentence embedding (the
mean state of a window). 0 means no change.

The importance of a head is the effect of removing it alone, measured, or estimated for all heads at once as follows.
1 - cosine is half the squared change of the normalised sentence embedding e. To first order, replacing the output z of
a head by z' changes r . e by <d(r . e)/dz, z' - z>, summed over tokens. The mean square of this over random directions
r with standard normal entries is the squared change of e. The estimate is half the mean over a few directions, with
one backward pass each. (Michel et al. 2019 use the gradient of a loss with respect to a mask of heads; the gradient of
1 - cosine is 0 at the whole model.)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_fields

import numpy as np

from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.models.ablation import changes_of, check_whole, replacements
from attn_core.models.attention import Change
from attn_core.models.capture import capture_with_gradients, last_states
from attn_core.models.records import LoadedModel
from attn_core.models.removal import Replace
from attn_core.tensors import Tensor, torch
from attn_core.texts.passages import Passage

BATCH_TOKENS = 4096  # tokens per batch
Removal = Sequence[Head]
DIRECTIONS = 8


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects of R removals on a window of N tokens, 1 - cosine. embedding: (R,). tokens: (R, N)."""

    embedding: np.ndarray
    tokens: np.ndarray


def effects_of(model: LoadedModel, passage: Passage, removals: Sequence[Removal], replace: Replace = "mean") -> Effects:
    """Effects of each removal on a window. replace: what replaces the output of removed heads.

    Raises InputError for a model that lacks heads already.
    """
    check_whole(model)
    whole = last_states(model, [passage])[0]
    embedding, tokens = [], []
    for states in states_without(model, passage, removals, replace):
        tokens.append(_apart(states, whole))
        embedding.append(_apart(states.mean(dim=1), whole.mean(dim=0)))
    return Effects(torch.cat(embedding).numpy(), torch.cat(tokens).numpy())


def states_without(
    model: LoadedModel, passage: Passage, removals: Sequence[Removal], replace: Replace = "mean"
) -> Iterator[Tensor]:
    """The last states under each removal, in batches of shape (removal, token, hidden)."""
    size = max(1, BATCH_TOKENS // len(passage))
    for some in (removals[start : start + size] for start in range(0, len(removals), size)):
        yield last_states(with_fields(model, changes=changes_of(model, replace, some)), [passage] * len(some))


def embeddings_of(
    model: LoadedModel, passage: Passage, removals: Sequence[Removal], replace: Replace = "mean"
) -> np.ndarray:
    """The sentence embedding of a window under each removal, (R, hidden)."""
    states = states_without(model, passage, removals, replace)
    return torch.cat([some.mean(dim=1) for some in states]).cpu().numpy()


def _apart(states: Tensor, whole: Tensor) -> Tensor:
    """1 - cosine along the last axis, in double precision, since small effects are differences of numbers near 1."""
    # On the CPU, since MPS has no float64.
    pair = states.cpu().double(), whole.cpu().double()
    return (1 - torch.nn.functional.cosine_similarity(*pair, dim=-1)).clamp_min(0)


def estimated_importance(model: LoadedModel, passage: Passage, replace: Replace = "mean", seed: int = 0) -> np.ndarray:
    """The estimated effect of removing each head alone on the sentence embedding, (layer, head); see the module.

    Raises InputError for "even", which replaces attention weights and not outputs, and for a model that lacks heads.
    """
    check_whole(model)
    if replace == "even":
        raise InputError("Importance under 'even' is measured, not estimated: take mean, zero or resample.")
    states, z = capture_with_gradients(model, passage)
    embedding = torch.nn.functional.normalize(states.mean(dim=0), dim=0)
    away = _differences(model, replace, z)
    generator = torch.Generator().manual_seed(seed)
    squares = torch.zeros(model.layers, model.heads, dtype=torch.float64)
    for _ in range(DIRECTIONS):
        direction = torch.randn(embedding.shape, generator=generator).to(embedding)
        gradients = torch.autograd.grad(direction @ embedding, z, retain_graph=True)
        # First-order change of direction . embedding by each head of a layer, (head,).
        moved = [
            torch.einsum("nhd,nhd->h", _by_head(gradient, far.shape[1]), far)
            for gradient, far in zip(gradients, away, strict=True)
        ]
        squares += torch.stack(moved).cpu().double() ** 2
    return (squares / DIRECTIONS / 2).numpy()


def _differences(model: LoadedModel, replace: Replace, z: Sequence[Tensor]) -> list[Tensor]:
    """Replacement minus output of each head, (token, head, d_head) for each layer. z: from `attached`."""
    everything = torch.ones(1, model.heads, dtype=torch.bool, device=model.device)
    outputs = [_by_head(layer.detach(), model.heads) for layer in z]
    return [
        Change(everything, values).replaced(own[None])[0] - own
        for values, own in zip(replacements(model, replace), outputs, strict=True)
    ]


def _by_head(layer: Tensor, heads: int) -> Tensor:
    """The outputs of one passage as (token, head, d_head), from (1, token, head, d_head) or (1, token, hidden)."""
    return layer[0] if layer.ndim == 4 else layer[0].unflatten(-1, (heads, -1))
