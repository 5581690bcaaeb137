"""The decoder of an encoder-decoder and its cross-attention: which modules they are, and how they come to read a text.

The decoder reads the text that the encoder read, behind the token with which it begins. That token
is a token of the passage, special and the first: the tokenizer of such a stack puts it there. The encoder does not read it,
and so no head of the cross-attention attends to it: its place among the encoder's states is empty and masked, which keeps
what the encoder read and what the decoder reads token by token beside each other.
"""

from copy import copy
from typing import Any

from tokenizers.processors import ByteLevel, Sequence, TemplateProcessing

from attn_core.errors import ModelError
from attn_core.models.files import ModelSpec, Stack
from attn_core.models.pretrained import frame
from attn_core.tensors import Tensor, nn, torch

# The attention modules of a decoder, by the last part of their names: in BART and its kin, and in T5.
ATTENTION: dict[Stack, tuple[str, ...]] = {
    "decoder": ("self_attn", "SelfAttention"),
    "cross": ("encoder_attn", "EncDecAttention"),
}


class Decoding(nn.Module):
    """An encoder and the decoder that reads the same text after it, as one network that reads token ids.

    stack: of which of the decoder's attention modules the heads are shown.
    """

    def __init__(self, encoder: Any, decoder: Any, stack: Stack) -> None:
        super().__init__()
        self.encoder, self.decoder, self.stack = encoder, decoder, stack
        self.config = decoder.config

    def get_input_embeddings(self) -> Any:
        """Those of the decoder, which are the encoder's, too."""
        return self.decoder.get_input_embeddings()

    def attention(self) -> list[nn.Module]:
        """The attention modules of the stack, a layer each."""
        ends = ATTENTION[self.stack]
        return [module for name, module in self.decoder.named_modules() if name.rpartition(".")[2] in ends]

    def let_capture(self, implementation: str) -> None:
        """Give the attention modules of this stack, and no other, an implementation of attention."""
        config = copy(self.config)
        config._attn_implementation = implementation
        for module in self.attention():
            module.config = config

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, **options: Any) -> Any:
        """What the decoder returns. input_ids: (batch, token), the first of them the decoder's own."""
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


def stack_of(whole: Any, stack: Stack = "encoder") -> Any:
    """What reads the text: the model itself, or its encoder where it also has a decoder, or both for a stack of the decoder."""
    if not (hasattr(whole, "encoder") and hasattr(whole, "decoder")):
        return whole
    return whole.get_encoder() if stack == "encoder" else Decoding(whole.get_encoder(), whole.get_decoder(), stack)


def check_stack(spec: ModelSpec, config: Any) -> None:
    """Raises ModelError for a decoder's stack of a model that has one stack, or whose decoder reads another vocabulary."""
    if spec.stack == "encoder":
        return
    if not config.is_encoder_decoder:
        raise ModelError(f"{spec.name} has one stack and no {spec.stack} beside it: leave the stack out.")
    if not getattr(config, "share_encoder_decoder_embeddings", True):
        raise ModelError(
            f"The decoder of {spec.name} has a vocabulary of its own, and cannot read the text that its encoder read."
        )


def begin_as_decoder(tokenizer: Any, config: Any) -> None:
    """Let a tokenizer put the decoder's first token before every text, in front of what it puts there itself.

    Where the configuration names none it is the token that a text ends with, as mBART's is.
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
    # What it replaces may take blanks off the offsets, too, as BART's does.
    trims = getattr(backend.post_processor, "trim_offsets", False)
    backend.post_processor = Sequence([ByteLevel(trim_offsets=True), template]) if trims else template
