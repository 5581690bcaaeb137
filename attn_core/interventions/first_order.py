"""What an estimate needs: how far each head's outputs would go, and by how much that moves a number to first order."""

from collections.abc import Sequence

from attn_core.errors import InputError
from attn_core.head import every_head
from attn_core.models.intervened import intervened
from attn_core.models.intervention import OF_ATTENTION, Intervention
from attn_core.models.records import LoadedModel
from attn_core.tensors import Tensor, torch


def refuse_attention(how: Intervention) -> None:
    """Raises InputError where attention is changed, which has no difference of outputs to begin with."""
    if how.replace in OF_ATTENTION:
        raise InputError(f"Importance under {how.replace!r} is measured, not estimated: take mean, zero or resample.")


def differences(model: LoadedModel, how: Intervention, z: Sequence[Tensor]) -> list[Tensor]:
    """What each head would put out instead, less what it does, (token, head, d_head) by layer. z: as `attached` gives it."""
    everything = Intervention(tuple(every_head(model.layers, model.heads)), how.replace, texts=how.texts)
    change = intervened(model, everything).change
    assert change is not None and change.values is not None, "mean, zero and resample are values"
    outputs = [_by_head(layer.detach(), model.heads) for layer in z]
    return [change.layer(n).replaced(own[None])[0] - own for n, own in enumerate(outputs)]


def moved_by(gradient: Tensor, far: Tensor) -> Tensor:
    """By how much each head of a layer, alone, moves the number of which the gradient is, (head,)."""
    return torch.einsum("nhd,nhd->h", _by_head(gradient, far.shape[1]), far)


def _by_head(layer: Tensor, heads: int) -> Tensor:
    """(token, head, d_head) of one passage, whether heads lie side by side or not."""
    return layer[0] if layer.ndim == 4 else layer[0].unflatten(-1, (heads, -1))
