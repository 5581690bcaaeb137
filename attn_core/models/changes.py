"""What is done to heads while a forward pass runs, as tensors: the working form of a `Removal`."""

from dataclasses import dataclass

from attn_core.tensors import Tensor, torch


@dataclass(frozen=True, eq=False)
class LayerChange:
    """What one layer's heads put out instead.

    heads: (row, head) bool, at least one of them True; one row stands for all of a batch. values: (head, token, d_head); one
    token stands for all, and fewer tokens than a text has begin anew; None leaves outputs as they come. even: whether the
    heads attend evenly.
    """

    heads: Tensor
    values: Tensor | None
    even: bool

    def replaced(self, z: Tensor) -> Tensor:
        """Head outputs (row, token, head, d_head) with those of the changed heads replaced."""
        if self.values is None:
            return z
        values = self.values.transpose(0, 1)
        if 1 < len(values) != z.shape[1]:
            values = values[torch.arange(z.shape[1], device=values.device) % len(values)]
        return torch.where(self.heads[:, None, :, None], values[None].to(z.dtype), z)


@dataclass(frozen=True, eq=False)
class Change:
    """The same of every layer. heads: (row, layer, head); values: (layer, head, token, d_head)."""

    heads: Tensor
    values: Tensor | None = None
    even: bool = False

    def of_layer(self, number: int) -> LayerChange | None:
        """What is changed in one layer, counted from 0; None where nothing is, so that it stays as it is bit for bit."""
        heads = self.heads[:, number]
        if not heads.any():
            return None
        return LayerChange(heads, None if self.values is None else self.values[number], self.even)
