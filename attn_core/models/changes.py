"""What is done to heads while a forward pass runs, as tensors: the working form of an `Intervention`."""

from dataclasses import dataclass, replace

from attn_core.tensors import Tensor, torch


@dataclass(frozen=True, eq=False)
class Change:
    """What is done to which heads, row by row of a batch.

    heads: (row, layer, head) bool, one row stands for all of a batch. values: (layer, head, token, d_head), what the heads
    put out; one token stands for all, and fewer tokens than a text has begin anew; None leaves outputs as they come.
    even: whether their attention is spread evenly.
    """

    heads: Tensor
    values: Tensor | None = None
    even: bool = False

    def in_rows(self, heads: Tensor) -> "Change":
        """The same change of other heads in each row: (row, layer, head) bool."""
        return replace(self, heads=heads.to(self.heads.device))

    def layer(self, number: int) -> "LayerChange":
        """What is changed in one layer, counted from 0."""
        values = None if self.values is None else self.values[number]
        return LayerChange(self.heads[:, number], values, self.even)


@dataclass(frozen=True, eq=False)
class LayerChange:
    """A change as one layer sees it; heads: (row, head) bool, at least one of them True."""

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

    @property
    def factors(self) -> Tensor | None:
        """What attention scores are multiplied by, (row, head, 1, 1); None where they stay as they are."""
        return torch.where(self.heads, 0.0, 1.0)[:, :, None, None] if self.even else None
