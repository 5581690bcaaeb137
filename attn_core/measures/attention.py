"""Where do heads attend? The attention weight that separator tokens receive, against their share of the tokens."""

from collections.abc import Sequence

import numpy as np

from attn_core.capture import HeadOutputs
from attn_core.passages import Passage


def separator_attention(
    passages: Sequence[Passage], outputs: Sequence[HeadOutputs], causal: bool = False
) -> dict[str, np.ndarray]:
    """Attention weight on separator tokens, mean over queries: name -> (layer, head), each with its chance level.

    separator_attention: [SEP] and sentence-final punctuation; sep_attention: [SEP] alone; punctuation_attention.
    Chance is attention spread evenly over the tokens that a query may see: all of them, or, where the model is causal,
    those up to itself. Windows weigh by their tokens.
    """
    total = sum(map(len, passages))
    result: dict[str, np.ndarray] = {}
    for passage, output in zip(passages, outputs, strict=True):
        received = output.received.cpu().numpy().astype(np.float64)
        for name, kind in separator_kinds(passage).items():
            weight = len(passage) / total
            result[name] = result.get(name, 0) + received[..., kind].sum(axis=-1) * weight
            chance = result.get(f"chance_{name}", 0) + evenly_received(len(passage), causal)[kind].sum() * weight
            result[f"chance_{name}"] = np.broadcast_to(chance, received.shape[:2])
    return result


def separator_kinds(passage: Passage) -> dict[str, np.ndarray]:
    """The three groups of separator tokens, (N,) bool each."""
    return {
        "separator_attention": passage.is_separator,
        "sep_attention": passage.is_separator & passage.is_special,
        "punctuation_attention": passage.is_separator & ~passage.is_special,
    }


def evenly_received(tokens: int, causal: bool) -> np.ndarray:
    """What each token receives, (N,), where every query spreads its attention evenly over what it may see."""
    if not causal:
        return np.full(tokens, 1 / tokens)
    return np.cumsum((1 / np.arange(1, tokens + 1))[::-1])[::-1] / tokens
