"""Parallel work on all cores, in blocks that fit the cache."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

from attn_core.tensors import torch

Item = TypeVar("Item")
Made = TypeVar("Made")
CPU = torch.device("cpu")
CACHE = 2**19  # float32 numbers, 2 MB; exceeding a core's 1 MB of cache costs less than twice as many calls
ACCELERATOR = 2**26  # float32 numbers, 256 MB; a GPU is fast only on large blocks


def use_threads(threads: int) -> None:
    """Limit this process to a number of threads, so that workers do not compete for cores."""
    from threadpoolctl import threadpool_limits  # imported here, since only workers need it

    torch.set_num_threads(threads)
    threadpool_limits(threads, "blas")  # numpy's products, which torch's setting does not limit


def matrices_at_once(numbers: int, device: torch.device) -> int:
    """The number of matrices in a block, at least one. numbers: the size of one matrix."""
    capacity = CACHE * torch.get_num_threads() if device.type == "cpu" else ACCELERATOR
    return max(1, capacity // numbers)


def on_every_core(
    work: Callable[[Sequence[Item]], list[Made]], items: Sequence[Item], device: torch.device = CPU
) -> list[Made]:
    """The results of `work` for all items, in their order; each thread works on one part of the items.

    This is for work done by torch and numpy together, since numpy runs on one core. On a GPU there is one part.
    """
    threads = torch.get_num_threads()
    parts = min(len(items), threads) if device.type == "cpu" else 1
    if parts <= 1:
        return work(items)
    cuts = [len(items) * part // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(parts, initializer=_use_one_core) as pool:
        by_part = pool.map(work, (items[start:end] for start, end in pairwise(cuts)))
        return [made for part in by_part for made in part]


def _use_one_core() -> None:
    """Limit this thread to one core; `torch.set_num_threads` would limit all threads that begin meanwhile."""
    torch.get_num_threads()  # at its first call in a thread torch sets this thread's limit, which is then replaced
    _openmp().limit(limits=1)


@cache
def _openmp() -> Any:
    """The OpenMP libraries that torch has loaded, whose limits hold for one thread each."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="openmp")
