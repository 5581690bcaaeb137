"""How much memory there is, and how much of it a model takes."""

import math
from contextlib import suppress
from pathlib import Path

from safetensors import safe_open

from attn_core.errors import ModelError
from attn_core.models.files import ModelSpec, locate, readable_weights

CONTAINER = Path("/sys/fs/cgroup")  # what a container may take, as it sees it
FLOAT = 4  # bytes: weights are computed with in float32, however they are stored


def check_memory(needed: float, what: str) -> None:
    """Raises ModelError where so many bytes are not free, since the system would end the program."""
    if needed > (free := available_memory()):
        raise ModelError(
            f"{what} would take about {needed / 1e9:,.1f} GB of memory, and {free / 1e9:,.1f} GB are free: read shorter windows, "
            "or one window of a text."
        )


def available_memory() -> float:
    """Bytes that a program may still take, as Linux tells, within its container; without limit elsewhere."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return min(float(line.split()[1]) * 1024, _left_in_container())
    return float("inf")


def _left_in_container() -> float:
    """Bytes, without limit where there is no container or it sets none (cgroup v2)."""
    with suppress(OSError, ValueError):  # "max" is no number: no limit
        most, taken = (float((CONTAINER / name).read_text("ascii")) for name in ("memory.max", "memory.current"))
        return max(0.0, most - taken)
    return float("inf")


def bytes_of_weights(spec: ModelSpec) -> int:
    """What the weights of a model take in memory, by the headers of its files. Raises ModelError for a model that is not here."""
    numbers = 0
    for file in readable_weights(spec, locate(spec)):
        with safe_open(file, framework="pt") as opened:
            numbers += sum(math.prod(opened.get_slice(name).get_shape()) for name in opened.keys())  # noqa: SIM118 (no dict)
    return FLOAT * numbers
