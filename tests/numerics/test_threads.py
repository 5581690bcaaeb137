"""How many cores a process takes."""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from threading import Thread

import pytest
import torch
from threadpoolctl import threadpool_info

from attn_core.numerics.threads import on_every_core, use_threads


def _threads_after(*wanted: int) -> tuple[int, set[int]]:
    for threads in wanted:
        use_threads(threads)
    return torch.get_num_threads(), {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_threads_that_begin_meanwhile_keep_all_cores() -> None:
    outside = list[int]()

    def work(items: Sequence[int]) -> list[int]:
        other = Thread(target=lambda: outside.append(torch.get_num_threads()))
        other.start()
        other.join()
        return [torch.get_num_threads() for _ in items]

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        assert on_every_core(work, range(6)) == [1] * 6
        assert torch.get_num_threads() == 3 and outside == [3] * 3
    finally:
        torch.set_num_threads(before)


@pytest.mark.long
def test_a_worker_takes_as_many_cores_for_numpy_as_for_torch() -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(_threads_after, 2, 1).result() == (1, {1})
