"""How many processes share the texts of a corpus, where nobody says."""

import math
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

from attn_core.errors import ModelError
from attn_core.models.files import ModelSpec
from attn_core.models.memory import CONTAINER, available_memory, bytes_of_weights

WINDOW_CHARACTERS = 2_050  # characters that about fill a usual window, of English prose
ENOUGH = 50 * WINDOW_CHARACTERS  # with fewer a worker has hardly begun when all is done; our choice
OF_A_WORKER = 1e9  # bytes beside the model: torch, and a batch of windows with what is counted of it (0.65 GB measured)
LOADING = 2  # times its weights: what a model takes while it is loaded
MOST_ON_WINDOWS = 61  # processes that a pool may have under that system


def helpful_workers(lengths: Iterable[int], specs: Sequence[ModelSpec], cores: int) -> int:
    """One a core; fewer where the texts are soon read, or where memory has no room for as many models.

    lengths: characters of each text, read no further than it takes. A GPU, and windows longer than the usual ones, are left
    to one process. Much of what is counted of a window runs on one core whatever torch may take, so that processes of one
    thread are faster than threads. Of a model that is not here, or damaged, nothing is told: the run does.
    """
    wanted = _shares(lengths, cores)
    if wanted < 2 or any(spec.windows for spec in specs):
        return 1
    from attn_core.models.loading import best_device

    if best_device() != "cpu":
        return 1
    each = OF_A_WORKER + LOADING * max(map(_bytes_if_here, specs))
    most = MOST_ON_WINDOWS if sys.platform == "win32" else wanted
    return max(1, int(min(wanted, most, available_memory() / each)))


def cores_here() -> int:
    """Cores that this process may take: of the machine, and within its container (cgroup v2)."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # "max" is no number: no limit
        time, period = map(int, (CONTAINER / "cpu.max").read_text("ascii").split())
        cores = min(cores, math.ceil(time / period))
    return max(1, cores)


def _bytes_if_here(spec: ModelSpec) -> int:
    try:
        return bytes_of_weights(spec)
    except ModelError:
        return 0


def _shares(lengths: Iterable[int], most: int) -> int:
    """Into how many shares of `ENOUGH` characters texts can be cut, at most so many."""
    characters = 0
    for length in lengths:
        characters += length
        if characters >= most * ENOUGH:
            return most
    return characters // ENOUGH
