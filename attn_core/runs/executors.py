"""Who does the work: this process, a pool of processes, or any executor that is given."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Any

from attn_core.errors import RunError, cause

ATTEMPTS = 3
MakeExecutor = Callable[[], Executor]


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
        raise RunError("The workers die as they load the model: is there enough memory?")

    def drop(self, broken: Executor, error: BrokenExecutor) -> None:
        """Use a broken executor no more. Raises RunError where another cannot be made."""
        if broken is self._given:
            raise RunError(f"The workers are gone ({cause(error)}): start the study again, it goes on.") from error
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
