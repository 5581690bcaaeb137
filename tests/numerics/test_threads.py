"""How many cores a process takes."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest
import torch
from threadpoolctl import threadpool_info

from attn_core.numerics.threads import use_threads


def _threads_after(*wanted: int) -> tuple[int, set[int]]:
    for threads in wanted:
        use_threads(threads)
    return torch.get_num_threads(), {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.long
def test_a_worker_takes_as_many_cores_for_numpy_as_for_torch() -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(_threads_after, 2, 1).result() == (1, {1})
