"""The longest window that a model can read and that memory can hold."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from attn_core.errors import ModelError
from attn_core.models.files import WINDOW
from attn_core.models.records import LoadedModel

CONTAINER = Path("/sys/fs/cgroup")  # where a container finds its memory limit (cgroup v2)
ENDLESS = 1 << 40  # tokens of the longest window of a model with relative positions only

# Bytes that an analysis takes, measured: per number of the head outputs (held three times while they are stacked),
# per pair of tokens in a head (a hundredth is strong), and per pair of tokens for all heads.
OF_OUTPUT, OF_PAIR_IN_HEAD, OF_PAIR = 12, 1.2, 65


def with_window_tokens(model: LoadedModel, tokens: int) -> LoadedModel:
    """The same model for windows of at most `tokens` tokens; both share one network.

    `WINDOW` is allowed for every model; one with fewer positions reads as many as it has. Raises ModelError for a
    window longer than the model can read or memory can hold.
    """
    spec = replace(model.spec, window_tokens=tokens)
    if tokens == model.spec.window_tokens:
        return model
    if tokens > model.longest and tokens != WINDOW:
        raise ModelError(
            f"{spec.name} reads at most {model.longest:,} tokens at once, not {tokens:,}: take a shorter window."
        )
    if tokens > WINDOW:
        of_pairs = tokens**2 / 2 * (OF_PAIR + OF_PAIR_IN_HEAD * model.layers * model.heads)
        check_memory(bytes_of_outputs(model, tokens) + of_pairs, f"A window of {tokens:,} tokens of {spec.name}")
    return replace(model, spec=spec)


def bytes_of_outputs(model: LoadedModel, tokens: int) -> float:
    """The bytes of memory that the head outputs of `tokens` tokens take while they are stacked."""
    layers, heads, width = model.check.captures
    return OF_OUTPUT * layers * heads * width * tokens


def check_memory(needed: float, what: str, advice: str = "read shorter windows, or one window of a text") -> None:
    """Raise ModelError unless `needed` bytes of memory are free, since the system would end the program."""
    if needed > (free := available_memory()):
        raise ModelError(
            f"{what} takes about {needed / 1e9:,.1f} GB of memory, {free / 1e9:,.1f} GB are free: {advice}."
        )


def available_memory() -> float:
    """The free bytes of memory, by Linux and by the limit of the container; infinite on other systems."""
    free = [float("inf")]
    with suppress(OSError, ValueError):
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free += [float(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError, ValueError):  # a container without a limit says "max", which is no number
        limit, taken = (float((CONTAINER / name).read_text("ascii")) for name in ("memory.max", "memory.current"))
        free.append(max(0.0, limit - taken))
    return min(free)
