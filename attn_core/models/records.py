"""A loaded model and the results of its check."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attn_core.displayed import Displayed
from attn_core.head import Head
from attn_core.models.files import ModelSpec

if TYPE_CHECKING:  # pages import this module before torch
    from attn_core.models.attention import Changes
    from attn_core.tensors import nn, torch

TokenTypes = tuple[tuple[int, ...], int, tuple[int, ...]]


@dataclass(frozen=True)
class SelfCheck:
    """Measurements on a probe of vocabulary tokens. Errors are relative, see `self_check.relative_error`.

    Attributes
    ----------
    captures: the numbers (layer, head, d_head) of the captured head outputs.
    projection_error: head outputs through the output projection of their layer, compared with its attention output.
    output_error: the last hidden state with captures, compared with that of the network as transformers loads it.
    padding_error: head outputs in a padded batch with a longer text, compared with those of the text alone.
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
            f"{layers} layers x {heads} heads x {width} captured; through each layer's output projection they give its "
            f"attention output to {self.projection_error:.0e}; the model's output is unchanged to "
            f"{self.output_error:.0e}, head outputs in a batch with a longer text to {self.padding_error:.0e}"
        )


UNCHECKED = SelfCheck((0, 0, 0), float("inf"), float("inf"), float("inf"))


@dataclass(frozen=True, eq=False, repr=False)
class LoadedModel(Displayed):
    """A network with its tokenizer, ready for `capture`.

    >>> model.layers, model.heads, model.max_tokens, model.causal
    (6, 12, 512, False)

    Attributes
    ----------
    spec, network, tokenizer, device: what was loaded, and where it computes.
    revision: the commit of a hub model, or a SHA-256 of its files, see `facts.revision_of`.
    layers, heads: their number, heads in each layer.
    longest: the number of tokens of the longest window that the model can read.
    pad_id: the token that fills a batch.
    causal: whether a token attends to earlier tokens only.
    uses_interface: whether its family computes attention through the interface of transformers, see `attention`.
    check: what the check at loading measured.
    no_padding: whether padding would change the numbers, so that texts of unequal lengths are read one by one.
    changes: what replaces the heads that its spec removes, by layer.
    removed: the heads without effect: those that its spec removes, and those whose slice of the output projection is 0.
    token_types: of the special tokens before a text, its own tokens, and those after it; None if the model takes none.
    """

    spec: ModelSpec
    revision: str
    network: "nn.Module"
    tokenizer: Any
    layers: int
    heads: int
    longest: int
    pad_id: int
    causal: bool
    uses_interface: bool
    device: "torch.device"
    check: SelfCheck = UNCHECKED
    no_padding: bool = False
    changes: "Changes" = ()
    removed: tuple[Head, ...] = ()
    token_types: TokenTypes | None = None

    @property
    def max_tokens(self) -> int:
        """The largest number of tokens of a window, special tokens included."""
        return min(self.longest, self.spec.window_tokens)

    @property
    def vocabulary(self) -> int:
        """The number of tokens that have an embedding."""
        network: Any = self.network
        return len(network.get_input_embeddings().weight)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.spec}, {self.layers} layers x {self.heads})"


def provenance_of(model: LoadedModel) -> dict[str, object]:
    """Model, revision, window length and ablation as fields of a provenance."""
    facts = {"model": str(model.spec), "revision": model.revision, "window_tokens": model.max_tokens}
    return facts | model.spec.removed
