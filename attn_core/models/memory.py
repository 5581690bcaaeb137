"""The models in memory: two of them, so that a comparison goes back and forth at once, but only where both find room."""

import os
import sys
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from attn_core.models.files import ModelSpec, as_it_lies, locate, readable_weights, size_of
from attn_core.models.records import LoadedModel

MOST = 2
CONTAINER = Path("/sys/fs/cgroup")  # what a container may take, as it sees it
FLOAT = 4  # bytes: weights are computed with in float32, however they are stored


class HeldModels:
    """Loads models, and lets go of those that were not asked for longest. Safe to be asked by several sessions at once.

    room: bytes that the weights of several models may take together; one model is always held, whatever its size.
    """

    def __init__(self, load: Callable[[ModelSpec], LoadedModel], room: float) -> None:
        self._load, self._room = load, room
        self._held: OrderedDict[ModelSpec, tuple[LoadedModel, int]] = OrderedDict()
        self._lock, self._one_load_at_a_time = Lock(), Lock()

    def get(self, spec: ModelSpec) -> LoadedModel:
        """A model that is held, at once, or that is loaded now. Raises what `load` raises; the others are let go before it.

        A folder whose files were replaced since is another model.
        """
        known = as_it_lies(spec)
        if model := self._find(known):
            return model
        with self._one_load_at_a_time:
            if model := self._find(known):  # another session has loaded it meanwhile
                return model
            size = bytes_of_weights(spec)
            self._make_room(size)
            model = self._load(spec)
            with self._lock:
                self._held[known] = model, size
            return model

    def _find(self, spec: ModelSpec) -> LoadedModel | None:
        with self._lock:
            if spec not in self._held:
                return None
            self._held.move_to_end(spec)
            return self._held[spec][0]

    def _make_room(self, size: int) -> None:
        with self._lock:
            while self._held and (
                len(self._held) == MOST or size + sum(own for _, own in self._held.values()) > self._room
            ):
                self._held.popitem(last=False)


def peak_memory() -> float | None:
    """The most bytes that this process has held so far, None where the system does not tell."""
    try:
        import resource  # Windows has none
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak if sys.platform == "darwin" else 1024 * peak)


def available_memory() -> float:
    """Bytes that a program may still take, as Linux tells, within its container; elsewhere half of what the machine has."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return min(float(line.split()[1]) * 1024, _left_in_container())
    return half_of_memory()


def _left_in_container() -> float:
    """Bytes, without limit where there is no container or it sets none (cgroup v2)."""
    with suppress(OSError, ValueError):  # "max" is no number: no limit
        most, taken = (float((CONTAINER / name).read_text("ascii")) for name in ("memory.max", "memory.current"))
        return max(0.0, most - taken)
    return float("inf")


def half_of_memory() -> float:
    """Bytes, of this machine; without limit where it does not tell. The other half is for what models make."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2
    except (AttributeError, ValueError):
        return float("inf")


def bytes_of_weights(spec: ModelSpec) -> int:
    """What the weights of a model take in memory. Raises ModelError for a model that is not here."""
    return FLOAT * size_of(readable_weights(spec, locate(spec)))[1]
