"""Who does the work: this process, a pool of processes, or any executor that is given. And how many workers help."""

import math
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing.process import BaseProcess
from typing import Any

from attn_core.errors import ModelError, RunError, cause
from attn_core.models.files import ModelSpec
from attn_core.models.memory import CONTAINER, available_memory, bytes_of_weights

ATTEMPTS = 2
AGAIN = "Run the same command again: it goes on where it was."
MakeExecutor = Callable[[], Executor]
WINDOW_CHARACTERS = 2_050  # characters that about fill a usual window, of English prose
ENOUGH = 50 * WINDOW_CHARACTERS  # with fewer a worker has hardly begun when all is done; our choice
OF_A_WORKER = 1e9  # bytes beside the model: torch, and a batch of windows with what is counted of it (0.65 GB measured)
LOADING = 2  # times its weights: what a model takes while it is loaded
MOST_ON_WINDOWS = 61  # processes that a pool may have under that system


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
    """A pool of processes that can be stopped in the middle of a shard."""

    def __init__(self, workers: int) -> None:
        # Spawned, not forked: a forked torch may hang on locks that its parent's threads held.
        super().__init__(workers, mp_context=multiprocessing.get_context("spawn"), initializer=start_worker)

    def stop(self) -> None:
        for process in list((self._processes or {}).values()):
            process.kill()
        self.shutdown(wait=False, cancel_futures=True)


def start_worker() -> None:
    """Initializer of a pool's process: it ends with the process that started it, even where that one was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the first one answers
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=_end_with, args=[parent], daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def process_pool(workers: int) -> MakeExecutor:
    """Makes pools of `workers` processes; a worker that dies takes its pool along, and the next one is made."""
    return lambda: Processes(workers)


class Source:
    """Where a study gets its executor, and the next one where one broke."""

    def __init__(self, executor: Executor | MakeExecutor | None, in_flight: int | None) -> None:
        self._given = executor if isinstance(executor, Executor) else None
        self._make = None if isinstance(executor, Executor) else executor or InProcess
        self._executor = self._given
        self.in_flight = in_flight or (1 if executor is None else 2 * (os.cpu_count() or 1))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> tuple[Future, Executor]:
        """A call handed out, and to whom."""
        if self._executor is None:
            assert self._make is not None
            self._executor = self._make()
        executor = self._executor
        try:
            return executor.submit(function, *arguments), executor
        except BrokenExecutor as error:
            self.drop(executor, error)
            return self.submit(function, *arguments)

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The answer to one call; a worker that dies costs an attempt."""
        for _ in range(ATTEMPTS):
            future, executor = self.submit(function, *arguments)
            try:
                return future.result()
            except BrokenExecutor as error:
                self.drop(executor, error)
        raise RunError(f"The workers die as they load the model: is there enough memory? {AGAIN}")

    def drop(self, broken: Executor, error: BrokenExecutor) -> None:
        """Use a broken executor no more. Raises RunError where another cannot be made."""
        if broken is self._given:
            raise RunError(f"The workers are gone ({cause(error)}). {AGAIN}") from error
        if broken is self._executor:
            self._executor = None
            broken.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """End the executor that was made here; another call makes another one."""
        if self._executor is None or self._executor is self._given:
            return
        if isinstance(self._executor, Processes):
            self._executor.stop()
        else:
            self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = None


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
