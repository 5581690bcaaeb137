"""The executors of a run, this process or a pool of processes, and the number of processes that makes it fastest."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Any

from attn_core.errors import ModelError
from attn_core.models.facts import facts_of
from attn_core.models.files import WINDOW, ModelSpec
from attn_core.models.windows import available_memory

WINDOW_CHARACTERS = 2_050  # characters of English prose in a window of the default length, roughly
ENOUGH = 50 * WINDOW_CHARACTERS  # characters per worker for which starting it pays; our choice
OF_A_WORKER = 1e9  # bytes besides the model: torch, and a batch of windows with its counts (0.65 GB measured)
ON_GPU = (
    4e9  # bytes besides the model that a worker takes there: CUDA, a batch of windows, and similarities of all pairs
)
LOADING = 2  # memory of a model while it is loaded, in multiples of its weights
MOST = 61  # processes that a pool may have under Windows


class InProcess(Executor):
    """Runs a call at once, in this process and thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        future: Future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # the future carries it to its caller, as in any executor
            future.set_exception(error)
        return future


class Processes(ProcessPoolExecutor):
    """Pool of processes. `shutdown(wait=False)` ends them in the middle of a shard."""

    def __init__(self, workers: int) -> None:
        # Spawned, not forked: in a fork, torch may deadlock on locks of its parent's threads.
        super().__init__(workers, mp_context=multiprocessing.get_context("spawn"), initializer=start_worker)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for process in [] if wait else list((self._processes or {}).values()):
            process.kill()
        super().shutdown(wait, cancel_futures=cancel_futures)


def start_worker() -> None:
    """Make this process of a pool end with the process that started it, even if that one is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the first one answers
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=_end_with, args=[parent], daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def helpful_workers(size: int, specs: Sequence[ModelSpec], cores: int) -> int:
    """The number of processes that makes a study fastest: one per core, fewer for little text or memory.

    size: bytes of the texts. With windows longer than the default it is one. Much of the counting uses one core only,
    so that processes of one thread are faster than threads.

    On a GPU each process reads, selects and counts its own shards: while some count, the others keep the device busy.
    If a window takes it d ms, and a core c ms, n processes read min(1 / d, n / (c + d)) windows a millisecond: all
    cores' worth, up to the device's most. One process that fed the device for all could do no better, and would launch
    the kernels of all windows on one core; it would save the memory that the other processes' models take.
    """
    most = min(size // ENOUGH, cores, MOST)
    if most < 2 or any(spec.window_tokens > WINDOW for spec in specs):
        return 1
    from attn_core.models.loading import best_device, free_memory_of_gpu

    device, loading = best_device(), LOADING * max(map(_bytes_if_here, specs))
    if device == "mps":
        return 1
    capacity = available_memory() / (OF_A_WORKER + loading)
    if device == "cuda":
        capacity = min(capacity, free_memory_of_gpu() / (ON_GPU + loading))
    return max(1, int(min(most, capacity)))


def _bytes_if_here(spec: ModelSpec) -> int:
    """The bytes of a model's weights; 0 for a model that is missing or damaged, which the run reports."""
    try:
        return facts_of(spec).bytes
    except ModelError:
        return 0
