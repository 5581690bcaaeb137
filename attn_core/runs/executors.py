"""Who does the work: this process, a pool of processes, or any executor that is given. And how many workers help."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Any

from attn_core.errors import ModelError
from attn_core.models.files import ModelSpec
from attn_core.models.windows import available_memory, bytes_of_weights

MakeExecutor = Callable[[], Executor]
WINDOW_CHARACTERS = 2_050  # characters that about fill a usual window, of English prose
ENOUGH = 50 * WINDOW_CHARACTERS  # with fewer a worker has hardly begun when all is done; our choice
OF_A_WORKER = 1e9  # bytes beside the model: torch, and a batch of windows with what is counted of it (0.65 GB measured)
LOADING = 2  # times its weights: what a model takes while it is loaded
MOST = 61  # processes that a pool may have under Windows


class InProcess(Executor):
    """Runs a call at once, in this process and thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        future: Future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # the future carries it to whoever asks, as in any executor
            future.set_exception(error)
        return future


class Processes(ProcessPoolExecutor):
    """A pool of processes. Shut down without waiting, it ends them in the middle of a shard."""

    def __init__(self, workers: int) -> None:
        # Spawned, not forked: a forked torch may hang on locks that its parent's threads held.
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


class Source:
    """The executor of a run; one that was made here is made again where a worker died.

    in_flight: calls that are handed out at a time.
    """

    def __init__(self, executor: Executor | MakeExecutor | None, in_flight: int | None) -> None:
        self._executor = executor if isinstance(executor, Executor) else None
        self._make = None if isinstance(executor, Executor) else executor or InProcess
        self.in_flight = in_flight or (1 if executor is None else 2 * (os.cpu_count() or 1))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """A call handed out. Raises BrokenExecutor where the executor that was given has broken."""
        try:
            if self._executor is not None:
                return self._executor.submit(function, *arguments)
        except BrokenExecutor:  # it has ended its processes itself
            if self._make is None:
                raise
        assert self._make is not None
        self._executor = self._make()
        return self._executor.submit(function, *arguments)

    def close(self) -> None:
        """End the executor that was made here; another call makes another one."""
        if self._make is not None and self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None


def helpful_workers(size: int, specs: Sequence[ModelSpec], cores: int) -> int:
    """One a core; fewer where the texts are soon read, or where memory has no room for as many models. size: bytes of the texts.

    A GPU, and windows longer than the usual ones, are left to one process. Much of what is counted of a window runs on one core
    whatever torch may take, so that processes of one thread are faster than threads. Of a model that is not here, or damaged,
    nothing is said: the run does.
    """
    most = min(size // ENOUGH, cores, MOST)
    if most < 2 or any(spec.windows for spec in specs):
        return 1
    from attn_core.models.loading import best_device

    if best_device() != "cpu":
        return 1
    each = OF_A_WORKER + LOADING * max(map(_bytes_if_here, specs))
    return max(1, int(min(most, available_memory() / each)))


def _bytes_if_here(spec: ModelSpec) -> int:
    try:
        return bytes_of_weights(spec)
    except ModelError:
        return 0
