"""The decoder of an encoder-decoder and its cross-attention, which read the text that the encoder read.

The first token of a passage is the decoder's start token, which the tokenizer of such a stack adds. The encoder does
not read it: its place among the encoder's states is zero and masked, so that encoder and decoder have the same places
for the same tokens, and no head of the cross-attention attends to it.
"""

import re
from collections.abc import Iterable
from copy import copy
from typing import Any

from tokenizers.processors import ByteLevel, Sequence, TemplateProcessing

from attn_core.errors import ModelError
from attn_core.models.files import ModelSpec, Stack
from attn_core.models.pretrained import frame
from attn_core.tensors import Tensor, nn, torch

# Attention modules of a decoder, by the last part of their names: in BART and its relatives, and in T5.
ATTENTION: dict[Stack, tuple[str, ...]] = {
    "decoder": ("self_attn", "SelfAttention"),
    "cross": ("encoder_attn", "EncDecAttention"),
}
IN_LAYER = re.compile(r"((?:.+?\.)?\d+)\.[^.]+\.")  # the layer of a module two levels further in


class Decoding(nn.Module):
    """Network of an encoder and a decoder that read the same token ids.

    stack: which of the decoder's attention modules are captured.
    """

    def __init__(self, encoder: Any, decoder: Any, stack: Stack) -> None:
        super().__init__()
        self.encoder, self.decoder, self.stack = encoder, decoder, stack
        self.config = decoder.config

    def get_input_embeddings(self) -> Any:
        """The embeddings of the decoder, which it shares with the encoder."""
        return self.decoder.get_input_embeddings()

    def attention(self) -> list[nn.Module]:
        """The attention modules of the stack, one per layer."""
        ends = ATTENTION[self.stack]
        return [module for name, module in self.decoder.named_modules() if name.rpartition(".")[2] in ends]

    def let_capture(self, implementation: str) -> None:
        """Set the implementation of attention of the modules of this stack alone."""
        config = copy(self.config)
        config._attn_implementation = implementation
        for module in self.attention():
            module.config = config

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, **options: Any) -> Any:
        """The output of the decoder. input_ids: (batch, token), of which the first is the decoder's start token."""
        real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        read = self.encoder(input_ids=input_ids[:, 1:], attention_mask=None if attention_mask is None else real[:, 1:])
        return self.decoder(
            input_ids=input_ids,
            attention_mask=attention_mask,
            encoder_hidden_states=nn.functional.pad(read.last_hidden_state, (0, 0, 1, 0)),
            encoder_attention_mask=nn.functional.pad(real[:, 1:], (1, 0)),
            use_cache=False,
            **options,
        )


def stack_of(whole: Any, stack: Stack) -> Any:
    """The part of a network that reads the text: the whole network, its encoder, or encoder and decoder.

    Of a model that reads images or sounds as well, it is the part that reads text.
    """
    if not (hasattr(whole, "encoder") and hasattr(whole, "decoder")):
        reads_more = whole.config.get_text_config() is not whole.config
        return whole.get_decoder().base_model if reads_more else whole
    return whole.get_encoder() if stack == "encoder" else Decoding(whole.get_encoder(), whole.get_decoder(), stack)


def part_like(whole: Any, network: Any) -> Any:
    """The part of a whole network, such as one with a head, of the kind of `network`. Raises ModelError without one."""
    if isinstance(network, Decoding):
        return Decoding(whole.get_encoder(), whole.get_decoder(), network.stack)
    part = next((module for module in whole.modules() if type(module) is type(network)), None)
    if part is None:
        raise ModelError(f"{type(whole).__name__} of transformers has no part of the kind {type(network).__name__}.")
    return part


def layers_of(network: nn.Module, projections: Iterable[str]) -> list[nn.Module]:
    """The modules of a network's layers, each once. projections: the name of each layer's output projection.

    There are none where its lists are of attention modules, as XLM's.
    """
    found = (IN_LAYER.match(name) for name in projections)
    return [network.get_submodule(name) for name in dict.fromkeys(one[1] for one in found if one)]


def check_stack(spec: ModelSpec, config: Any) -> None:
    """Raise ModelError if the model lacks the stack, or if its decoder has a vocabulary of its own."""
    if spec.stack == "encoder":
        return
    if not config.is_encoder_decoder:
        raise ModelError(f"{spec.name} has one stack and no {spec.stack}: leave the stack out.")
    if not getattr(config, "share_encoder_decoder_embeddings", True):
        raise ModelError(
            f"The decoder of {spec.name} has a vocabulary of its own and cannot be read: read its encoder."
        )


def prepend_start_token(tokenizer: Any, config: Any) -> None:
    """Change a tokenizer in place so that it puts the decoder's start token before every text.

    If the configuration names none, it is the token that a text ends with, as for mBART.
    """
    before, after = frame(tokenizer)
    begin = getattr(config, "decoder_start_token_id", None)
    around = [after[-1] if begin is None else begin, *before, *after]
    names = tokenizer.convert_ids_to_tokens(around)
    template = TemplateProcessing(
        single=[*names[: 1 + len(before)], "$A", *names[1 + len(before) :]],
        special_tokens=list(dict(zip(names, around, strict=True)).items()),
    )
    backend = tokenizer.backend_tokenizer
    # The former processor may trim blanks from the offsets, as BART's does.
    trims = getattr(backend.post_processor, "trim_offsets", False)
    backend.post_processor = Sequence([ByteLevel(trim_offsets=True), template]) if trims else template
