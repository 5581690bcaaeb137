"""The processes that count: this one, or a pool; and how many of them make a run faster."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Any

from attn_core.errors import ModelError
from attn_core.models.files import WINDOW, ModelSpec
from attn_core.models.windows import available_memory, bytes_of_weights

WINDOW_CHARACTERS = 2_050  # characters that about fill a usual window, of English prose
ENOUGH = 50 * WINDOW_CHARACTERS  # with fewer a worker has hardly begun when all is done; our choice
OF_A_WORKER = 1e9  # bytes beside the model: torch, and a batch of windows with its counts (0.65 GB measured)
LOADING = 2  # times its weights: what a model takes while it is loaded
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
    """A pool of processes. Shut down without waiting, it ends them in the middle of a shard."""

    def __init__(self, workers: int) -> None:
        # Spawned, not forked: a forked torch may wait for ever for locks of its parent's threads.
        super().__init__(workers, mp_context=multiprocessing.get_context("spawn"), initializer=start_worker)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for process in [] if wait else list((self._processes or {}).values()):
            process.kill()
        super().shutdown(wait, cancel_futures=cancel_futures)


def start_worker() -> None:
    """Initializer of a pool's process: it ends with the process that started it, even where that one was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the first one answers
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=_end_with, args=[parent], daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def helpful_workers(size: int, specs: Sequence[ModelSpec], cores: int) -> int:
    """The number of processes that make a study fastest: one a core, fewer for little text or memory.

    size: bytes of the texts. A GPU, and longer windows than the usual ones, are left to one process. Much of the
    counting runs on one core, so that processes of one thread are faster than threads.
    """
    most = min(size // ENOUGH, cores, MOST)
    if most < 2 or any(spec.window_tokens > WINDOW for spec in specs):
        return 1
    from attn_core.models.loading import best_device

    if best_device() != "cpu":
        return 1
    each = OF_A_WORKER + LOADING * max(map(_bytes_if_here, specs))
    return max(1, int(min(most, available_memory() / each)))


def _bytes_if_here(spec: ModelSpec) -> int:
    """Bytes of a model's weights; 0 for a model that is missing or damaged, which the run reports."""
    try:
        return bytes_of_weights(spec)
    except ModelError:
        return 0
