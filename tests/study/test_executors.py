"""The same bytes from every executor; a pool that breaks ends a study in one sentence."""

import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from attn_core.errors import RunError
from attn_core.models.files import ModelSpec
from attn_core.runs.executors import Processes
from attn_core.runs.run import ALONE, Workers
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from tests.processes import warm
from tests.study.made_up import digests


@pytest.mark.long
def test_a_pool_of_processes_and_dask_give_the_same_bytes(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings
) -> None:
    def made(name: str, workers: Workers = ALONE) -> dict[str, str]:
        return digests(run_study(Corpus(str(corpus_folder)), tiny, tmp_path / name, small, workers).folder)

    whole = made("serial")
    with Processes(2) as pool:
        assert made("pool", Workers(pool, 4, 1)) == whole
    distributed, dask = pytest.importorskip("distributed"), pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": warm().get_start_method()}),
        distributed.LocalCluster(1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert made("dask", Workers(client.get_executor(pure=False), 4, 1)) == whole


@pytest.mark.long
def test_a_pool_whose_worker_died_ends_the_study(tmp_path: Path, tiny: ModelSpec, corpus_folder: Path) -> None:
    with ProcessPoolExecutor(1, warm()) as pool:
        with pytest.raises(BrokenProcessPool):
            pool.submit(os._exit, 1).result()
        with pytest.raises(RunError, match=r"Counting stopped \(.*Run the same command again"):
            run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "pool", workers=Workers(pool))
