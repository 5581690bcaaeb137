"""A model that is loaded, and what its check measured: the records that `loading` makes and `capture` reads."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attn_core.models.files import ModelSpec

if TYPE_CHECKING:  # a page draws its title before torch is imported
    from attn_core.models.attention import Changes
    from attn_core.tensors import nn, torch


@dataclass(frozen=True)
class SelfCheck:
    """What was measured on a probe of tokens of its own vocabulary. Errors are the largest difference over the largest value.

    captures: (layer, head, d_head) that arrived.
    projection_error: head outputs pushed through each layer's own output projection, against its attention output.
    output_error: the last hidden state with captures, against the network as transformers loads it.
    padding_error: head outputs beside a longer text in a padded batch, against those without it.
    projections: the name of each layer's output projection in the network.
    """

    captures: tuple[int, int, int]
    projection_error: float
    output_error: float
    padding_error: float
    projections: tuple[str, ...] = ()

    def __str__(self) -> str:
        layers, heads, width = self.captures
        return (
            f"{layers} layers x {heads} heads x {width} captured; through each layer's own output projection they give "
            f"its attention output to {self.projection_error:.0e}; the model's output is unchanged to {self.output_error:.0e}, "
            f"the heads' beside a longer text to {self.padding_error:.0e}"
        )


UNCHECKED = SelfCheck((0, 0, 0), float("inf"), float("inf"), float("inf"))


@dataclass(frozen=True, eq=False, repr=False)
class LoadedModel:
    """A network with its tokenizer, ready for `capture`.

    `revision` is the commit of a hub model, or a SHA-256 of weights, config and tokenizer where there is none, see
    `files.revision_of`. max_tokens: of a window; longest: of the longest that it reads. reads_alone: whether a longer text in
    a padded batch would change the numbers of a shorter one, so that texts of several lengths are read one by one. changes:
    what replaces the heads that its spec lacks, by layer. `load` makes it.

    >>> model.layers, model.heads, model.max_tokens, model.causal
    (6, 12, 512, False)
    """

    spec: ModelSpec
    revision: str
    family: str
    network: "nn.Module"
    tokenizer: Any
    layers: int
    heads: int
    max_tokens: int
    longest: int
    pad_id: int
    causal: bool
    uses_interface: bool
    device: "torch.device"
    check: SelfCheck = UNCHECKED
    reads_alone: bool = False
    changes: "Changes" = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.spec}, {self.layers} layers x {self.heads})"


def provenance_of(model: LoadedModel) -> dict[str, object]:
    """Which model a number comes from, and how long the windows are that it read."""
    facts = {"model": str(model.spec), "revision": model.revision, "window_tokens": model.max_tokens}
    return facts | model.spec.removed
