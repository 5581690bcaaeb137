"""How long a window may be, as long as the model reads and memory holds, and which windows are read together.

Nothing here runs a model: the same network reads windows of any length, cut by `read_passages` at `max_tokens`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from attn_core.errors import ModelError
from attn_core.models.files import WINDOW
from attn_core.models.memory import available_memory
from attn_core.models.records import LoadedModel

ENDLESS = 1 << 40  # tokens: what a model reads whose positions are distances only

# Bytes of an analysis above the model, measured (docs/results.md): of each number of the head outputs, which are held three
# times while they are stacked; of each pair of tokens in a head, of which a hundredth is strong, and in all heads together.
OF_OUTPUT, OF_PAIR_IN_HEAD, OF_PAIR = 12, 1.2, 65
FLOAT = 4

_made: "WeakKeyDictionary[LoadedModel, dict[int, LoadedModel]]" = WeakKeyDictionary()


def in_windows_of(model: LoadedModel, tokens: int) -> LoadedModel:
    """The same model, which reads windows of at most so many tokens; both share one network.

    `WINDOW` tokens are the usual window, which a model that reads fewer takes as long as it can. Raises ModelError for a longer
    window than the model reads or memory holds, and says how long one may be; InputError for no number of
    tokens.
    """
    spec = replace(model.spec, window_tokens=tokens)
    if tokens == model.spec.window_tokens:
        return model
    made = _made.setdefault(model, {})
    if tokens not in made:
        _check(model, tokens)
        made[tokens] = replace(model, spec=spec, max_tokens=min(tokens, model.longest))
    return made[tokens]


def memory_of(model: LoadedModel, tokens: int) -> float:
    """Bytes that the analysis of one window of so many tokens takes above the model, the strongest 1 % of its pairs strong."""
    layers, heads, _ = model.check.captures
    maps = 0 if model.uses_interface else FLOAT * layers * heads  # which such a family hands over all at once
    pairs = tokens**2 / 2 * (OF_PAIR + OF_PAIR_IN_HEAD * layers * heads) + maps * tokens**2
    return OF_OUTPUT * _outputs_of_token(model) * tokens + pairs


def longest_that_fits(model: LoadedModel, memory: float) -> int:
    """The longest power of two, in tokens, whose analysis takes no more memory than that."""
    tokens = WINDOW
    while tokens < ENDLESS and memory_of(model, 2 * tokens) <= memory:
        tokens *= 2
    return tokens


def check_maps(model: LoadedModel, tokens: int) -> None:
    """Raises ModelError where the attention maps of all heads of so many tokens, held twice, do not fit into memory."""
    memory, each = available_memory(), 2 * FLOAT * model.layers * model.heads
    if tokens > WINDOW and each * tokens**2 > memory:
        raise ModelError(
            f"The attention maps of all {model.layers * model.heads:,} heads of {tokens:,} tokens would take about "
            f"{_in_gigabytes(each * tokens**2)} of memory, and {_in_gigabytes(memory)} are free: read windows of "
            f"{int((memory / each) ** 0.5):,} tokens at most."
        )


def check_whole(model: LoadedModel, windows: int, tokens: int) -> None:
    """Raises ModelError where the analysis of several windows, of so many tokens together, does not fit into memory."""
    memory, needed = available_memory(), OF_OUTPUT * tokens * _outputs_of_token(model)
    if windows > 1 and needed > memory:
        raise ModelError(
            f"All {windows:,} windows of this text together would take about {_in_gigabytes(needed)} of memory with "
            f"{model.spec.name}, and {_in_gigabytes(memory)} are free: choose one window, or let `python -m attn_core analyze` "
            "write the tables, which holds one window at a time."
        )


def _outputs_of_token(model: LoadedModel) -> int:
    """How many numbers the heads of a model put out for a token."""
    layers, heads, width = model.check.captures
    return layers * heads * width


def _check(model: LoadedModel, tokens: int) -> None:
    if tokens > model.longest and tokens != WINDOW:
        raise ModelError(
            f"{model.spec.name} reads windows of at most {model.longest:,} tokens, not {tokens:,}: choose a shorter window."
        )
    memory = available_memory()
    if tokens > WINDOW and (needed := memory_of(model, tokens)) > memory:
        raise ModelError(
            f"A window of {tokens:,} tokens would take about {_in_gigabytes(needed)} of memory with {model.spec.name}, and "
            f"{_in_gigabytes(memory)} are free: choose {longest_that_fits(model, memory):,} tokens at most."
        )


def _in_gigabytes(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"


def batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Windows of like length together: indices, longest first, at most `batch_tokens` a batch with padding."""
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    while order:
        size = max(1, batch_tokens // lengths[order[0]])
        yield order[:size]
        order = order[size:]
