"""Who does the work of a long command, and how it tells how far it is. Nothing heavy is imported before one runs."""

import argparse
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from attn_core.commands.options import few
from attn_core.commands.telling import tell
from attn_core.errors import InputError

if TYPE_CHECKING:
    from attn_core.study.progress import Progress

T = TypeVar("T")


def with_workers(options: argparse.Namespace, run: Callable[..., T], *arguments: Any, progress: Any = None) -> T:
    """What `run` returns with the executor that is asked for; a polite request to end stops it as Ctrl-C does."""
    with _terminated_as_interrupted(), _workers(options) as (executor, in_flight, threads):
        return run(*arguments, executor, in_flight=in_flight, threads=threads, progress=progress or tell_progress)


def add_workers(parser: argparse.ArgumentParser) -> None:
    """--workers, --dask and --threads."""
    parser.add_argument("--workers", type=few, default=1, help="processes that share the cores (default: 1)")
    parser.add_argument("--dask", metavar="ADDRESS", help="a Dask scheduler, e.g. tcp://10.0.0.1:8786, instead")
    parser.add_argument("--threads", type=few, help="torch threads a worker (default: cores / workers)")


def tell_progress(progress: "Progress") -> None:
    """On one line of standard error."""
    tell(str(progress), ends=progress.status != "running")


def threads_of_worker(options: argparse.Namespace) -> int | None:
    """The threads that are asked for, else a worker's share of the cores; None: all that torch takes."""
    import os

    if options.threads or options.workers == 1:
        return options.threads
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // options.workers)


@contextmanager
def _workers(options: argparse.Namespace) -> Iterator[tuple[Any, int | None, int | None]]:
    """The executor, the number of shards to hand out at a time, and the threads of a worker."""
    from attn_core.study.executors import process_pool

    if options.dask is not None:
        try:
            from distributed import Client
        except ImportError:
            raise InputError("Dask is not installed: pip install distributed.") from None
        try:
            client = Client(options.dask, timeout="10s")
        except Exception:  # every kind of address has exceptions of its own, from ValueError to TypeError
            raise InputError(
                f"There is no Dask scheduler at {options.dask!r}: give its address, such as tcp://10.0.0.1:8786."
            ) from None
        with client:
            in_flight = 2 * sum(client.nthreads().values())
            yield client.get_executor(pure=False), max(in_flight, 2), options.threads
    elif options.workers > 1:
        yield process_pool(options.workers), 2 * options.workers, threads_of_worker(options)
    else:
        yield None, None, options.threads


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """A polite request to end (SIGTERM) stops a study as Ctrl-C does."""

    def interrupt(_signal: int, _frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
