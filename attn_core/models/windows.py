"""How long a window may be, and which windows are read together.

Nothing here runs a model: the same network reads windows of any length, cut by `read_passages` at `max_tokens`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from attn_core.errors import ModelError
from attn_core.models.files import WINDOW
from attn_core.models.memory import check_memory
from attn_core.models.records import LoadedModel

ENDLESS = 1 << 40  # tokens: what a model reads whose positions are distances only

# Bytes of an analysis above the model, measured: of each number of the head outputs, which are held three times while they are
# stacked; of each pair of tokens in a head, of which a hundredth is strong, and in all heads together.
OF_OUTPUT, OF_PAIR_IN_HEAD, OF_PAIR = 12, 1.2, 65


def in_windows_of(model: LoadedModel, tokens: int) -> LoadedModel:
    """The same model, which reads windows of at most so many tokens; both share one network.

    `WINDOW` tokens are the usual window, which a model that reads fewer takes as long as it can. Raises ModelError for a longer
    window than the model reads or memory holds; InputError for no number of tokens.
    """
    spec = replace(model.spec, window_tokens=tokens)
    if tokens == model.spec.window_tokens:
        return model
    if tokens > model.longest and tokens != WINDOW:
        raise ModelError(
            f"{spec.name} reads windows of at most {model.longest:,} tokens, not {tokens:,}: choose a shorter window."
        )
    if tokens > WINDOW:
        of_pairs = tokens**2 / 2 * (OF_PAIR + OF_PAIR_IN_HEAD * model.layers * model.heads)
        check_memory(bytes_of_outputs(model, tokens) + of_pairs, f"A window of {tokens:,} tokens of {spec.name}")
    return replace(model, spec=spec, max_tokens=min(tokens, model.longest))


def bytes_of_outputs(model: LoadedModel, tokens: int) -> float:
    """What the head outputs of so many tokens take in memory while they are stacked."""
    layers, heads, width = model.check.captures
    return OF_OUTPUT * layers * heads * width * tokens


def batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Windows of like length together: indices, longest first, at most `batch_tokens` a batch with padding."""
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    while order:
        size = max(1, batch_tokens // lengths[order[0]])
        yield order[:size]
        order = order[size:]
