"""Work on all cores, in blocks that fit the cache."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

from attn_core.tensors import torch

Item = TypeVar("Item")
Made = TypeVar("Made")
CPU = torch.device("cpu")
CACHE = 2**19  # float32 numbers; what leaves the megabyte beside a core costs less than twice as many calls
ACCELERATOR = 2**26  # a GPU wants much at once, within a quarter of a gigabyte


def use_threads(threads: int) -> None:
    """Limit this process to so many cores, so that workers do not wait for each other."""
    from threadpoolctl import threadpool_limits  # a process that has all cores to itself never needs it

    torch.set_num_threads(threads)
    threadpool_limits(threads, "blas")  # numpy's products, which know nothing of torch's threads


def matrices_at_once(numbers: int, device: torch.device) -> int:
    """The number of matrices of so many numbers in a block, at least one."""
    room = CACHE * torch.get_num_threads() if device.type == "cpu" else ACCELERATOR
    return max(1, room // numbers)


def on_every_core(
    work: Callable[[Sequence[Item]], list[Made]], items: Sequence[Item], device: torch.device = CPU
) -> list[Made]:
    """The results of `work` for all items, in their order; each of torch's threads works on a part of them.

    For work that torch and numpy share, since numpy's part runs on one core. On a GPU there is one part.
    """
    threads = torch.get_num_threads()
    parts = min(len(items), threads) if device.type == "cpu" else 1
    if parts <= 1:
        return work(items)
    cuts = [len(items) * part // parts for part in range(parts + 1)]
    try:
        with ThreadPoolExecutor(parts, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            by_part = pool.map(work, (items[start:end] for start, end in pairwise(cuts)))
            return [made for part in by_part for made in part]
    finally:
        torch.set_num_threads(threads)  # what threads to come begin with, which is one value for all
