"""The workers of a long command, and its progress. Large libraries are imported only when a command runs."""

import argparse
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, TypeVar

from attn_core.commands.options import few
from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.models.records import LoadedModel

PACKAGE = "attn_core"
T = TypeVar("T")


def print_status(line: str, ends: bool = False, log: bool = True) -> None:
    """Print a line in place of the last, unless that one ended; an empty line clears it. log: whether a log gets it."""
    if sys.stderr.isatty():
        print(f"\r{line}\033[K", end="\n" if ends else "", file=sys.stderr, flush=True)
    elif line and log:
        print(line, file=sys.stderr, flush=True)


def load_visibly(spec: ModelSpec) -> LoadedModel:
    """The loaded model of a spec; a terminal shows that it is loaded."""
    print_status(f"loading {spec}", log=False)
    from attn_core.models.loading import load  # torch takes seconds to import

    return load(spec)


def print_windows(done: int, windows: int) -> None:
    """Print the progress of reading a text; a log gets it only for several windows."""
    print_status(f"reading window: {done + 1:,} of {windows:,}", log=windows > 1)


def with_workers(options: argparse.Namespace, run: Callable[..., T], *arguments: Any) -> T:
    """The result of `run` with the workers of the options; SIGTERM stops it like Ctrl-C."""
    from attn_core.runs.run import Workers

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with _workers(options) as who:
        return run(
            *arguments, Workers(*who, lambda now: print_status(str(now), ends=now.status != "running"), options.argv)
        )


def add_workers(parser: argparse.ArgumentParser, default: int | None = None) -> None:
    """Add --workers, --dask, --cores and --threads. default: of --workers; None for that of `settle_workers`."""
    usual = default or "one a core, fewer for little text or memory"
    parser.add_argument("--workers", type=few, default=default, help=f"processes on these cores (default: {usual})")
    parser.add_argument("--dask", metavar="ADDRESS", help="a Dask scheduler, e.g. tcp://10.0.0.1:8786, instead")
    parser.add_argument("--cores", type=few, help="cores that all of it may take (default: all)")
    parser.add_argument("--threads", type=few, help="torch threads a worker (default: cores / workers)")


def choose_workers(options: argparse.Namespace, size: int, specs: Sequence[ModelSpec]) -> None:
    """Set --workers, unless it is given, for texts of `size` bytes and these models, see `helpful_workers`."""
    if options.workers is None:
        from attn_core.runs.executors import helpful_workers

        options.workers = 1 if options.dask else helpful_workers(size, specs, _cores(options))


def _cores(options: argparse.Namespace) -> int:
    """The number of cores that may be used on this machine or in its container."""
    import joblib

    return min(joblib.cpu_count(), options.cores or sys.maxsize)


@contextmanager
def _workers(options: argparse.Namespace) -> Iterator[tuple[Any, int | None, int | None]]:
    """Context manager with the executor, the number of shards to submit at a time, and the threads of a worker."""
    if options.dask is not None:
        with _dask(options) as client:
            yield client.get_executor(pure=False), max(2, 2 * sum(client.nthreads().values())), options.threads
        return
    threads = options.threads
    if not threads and (options.workers > 1 or options.cores):  # else all that torch takes
        threads = max(1, _cores(options) // options.workers)
    if options.workers == 1:
        yield None, None, threads
    else:
        from attn_core.runs.executors import Processes

        print_status(f"{options.workers} workers share the texts", ends=True)
        pool = Processes(options.workers)
        try:
            yield pool, 2 * options.workers, threads
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _dask(options: argparse.Namespace) -> Any:
    """A client of the Dask cluster at the address in the options."""
    if options.cores is not None:
        raise InputError("The workers of a Dask cluster have their own cores: leave --cores out, or --dask.")
    try:
        from distributed import Client
    except ImportError:
        raise InputError("Dask is not installed: pip install distributed.") from None
    try:
        client = Client(options.dask, timeout="10s")
    except Exception:  # each kind of address raises other exceptions, from ValueError to TypeError
        raise InputError(
            f"There is no Dask scheduler at {options.dask!r}: give its address, such as tcp://10.0.0.1:8786."
        ) from None
    # Asked first: a worker without it dies when it is sent a shard, and the command would wait for ever.
    if not all([client.run_on_scheduler(find_spec, PACKAGE), *client.run(find_spec, PACKAGE).values()]):
        client.close()
        raise InputError(
            f"The Dask scheduler at {options.dask!r} or one of its workers does not have this program: install the "
            "package on the scheduler and on every worker, and the model on every worker."
        )
    return client
