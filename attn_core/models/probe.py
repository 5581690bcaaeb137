"""What a model reads when it is checked: tokens of its own vocabulary, so that any alphabet will do."""

from functools import cache
from typing import Any

from tokenizers import Encoding, Tokenizer
from tokenizers.models import WordLevel

from attn_core.models.records import LoadedModel

TOKENS = 16  # of the probe


def probe(model: LoadedModel, tokens: int = TOKENS) -> list[int]:
    """Ids of so many tokens of a vocabulary, evenly spread, between those that the tokenizer puts around a text."""
    before, after = frame(model.tokenizer)
    network: Any = model.network
    known = network.get_input_embeddings().num_embeddings
    ids = set(model.tokenizer.get_vocab().values()) - set(model.tokenizer.all_special_ids)
    ordinary = sorted(one for one in ids if one < known) or [0]
    number = max(2, min(tokens, model.max_tokens) - len(before) - len(after))
    step = max(1, len(ordinary) // number)
    return [*before, *(ordinary[at * step % len(ordinary)] for at in range(number)), *after]


def frame(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Ids of the tokens that a tokenizer puts before and after every text."""
    processor = tokenizer.backend_tokenizer.post_processor
    if processor is None:
        return [], []
    framed = processor.process(_one_token())
    at = framed.special_tokens_mask.index(0)
    return framed.ids[:at], framed.ids[at + 1 :]


@cache
def _one_token() -> Encoding:
    """A text of one token, whatever the vocabulary."""
    return Tokenizer(WordLevel({"x": 0}, unk_token="x")).encode("x")
