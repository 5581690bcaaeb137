"""The same bytes from every executor; a pool that breaks ends a study in one sentence."""

import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from attn_core.errors import RunError
from attn_core.models.capture import batches
from attn_core.models.files import ModelSpec
from attn_core.runs.executors import Processes
from attn_core.runs.run import Workers
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from tests.processes import warm
from tests.study.conftest import SMALL
from tests.study.made_up import digests, write_corpus


@pytest.fixture(scope="module")
def corpus_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all of them: where a text lies stands in the manifest."""
    return write_corpus(tmp_path_factory.mktemp("corpus") / "texts", texts=14)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, tiny: ModelSpec, corpus_folder: Path) -> dict[str, str]:
    """What the study leaves when it is counted in this process."""
    out = tmp_path_factory.mktemp("studies") / "serial"
    run_study(Corpus(str(corpus_folder)), tiny, out, SMALL)
    return digests(out)


@pytest.mark.long
def test_a_pool_of_processes_gives_the_same_bytes(tmp_path: Path, tiny, corpus_folder: Path, small, whole) -> None:
    with Processes(2) as pool:
        run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "pool", small, Workers(pool, 4, 1))
    assert digests(tmp_path / "pool") == whole


@pytest.mark.long
def test_dask_gives_the_same_bytes(tmp_path: Path, tiny, corpus_folder: Path, small, whole) -> None:
    distributed, dask = pytest.importorskip("distributed"), pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": warm().get_start_method()}),
        distributed.LocalCluster(1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor(pure=False)
        run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "dask", small, Workers(executor, 4, 1))
    assert digests(tmp_path / "dask") == whole


def test_a_pool_whose_worker_died_ends_the_study_in_a_sentence(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path
) -> None:
    with ProcessPoolExecutor(1, warm()) as pool:
        with pytest.raises(BrokenProcessPool):
            pool.submit(os._exit, 1).result()
        with pytest.raises(RunError, match=r"Counting stopped \(.*Run the same command again"):
            run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "pool", workers=Workers(pool))


def test_batches_take_every_window_once_and_keep_to_their_size() -> None:
    lengths = [5, 90, 17, 90, 3, 64, 64, 8]
    made = list(batches(lengths, 180))
    assert sorted(index for batch in made for index in batch) == list(range(len(lengths)))
    assert all(len(batch) * lengths[batch[0]] <= 180 for batch in made)
    assert made[0] == [1, 3]
    assert list(batches([500], 100)) == [[0]]
