"""Whoever counts: the same bytes. Workers may die."""

import os
import signal
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

import pytest

from attn_core.errors import RunError
from attn_core.models.capture import batches
from attn_core.models.files import ModelSpec
from attn_core.runs.executors import InProcess, Processes, start_worker
from attn_core.runs.run import Workers
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import Job, StudySettings
from tests.processes import warm
from tests.study.conftest import SMALL
from tests.study.made_up import digests, write_corpus


def deadly(deaths: Path, most: int, function, *arguments):
    """Kills its own process as it begins shard 1, `most` times in all."""
    job = arguments[0]
    if isinstance(job, Job) and job.shard.number == 1 and len(list(deaths.iterdir())) < most:
        (deaths / str(os.getpid())).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return function(*arguments)


class DeadlyPool(Processes):
    """A pool in which the worker that gets shard 1 dies."""

    def __init__(self, deaths: Path, most: int) -> None:
        ProcessPoolExecutor.__init__(self, 1, warm(), start_worker)
        self._deaths, self._most = deaths, most

    def submit(self, fn, /, *args, **kwargs) -> Future:
        return super().submit(deadly, self._deaths, self._most, fn, *args, **kwargs)


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
    run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "pool", small, Workers(partial(Processes, 2), 4, 1))
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


@pytest.mark.long
def test_a_worker_that_dies_costs_its_shard_a_retry(tmp_path: Path, tiny, corpus_folder: Path, small, whole) -> None:
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "pool", small, Workers(lambda: DeadlyPool(deaths, 1), 2))
    assert len(list(deaths.iterdir())) == 1
    assert digests(tmp_path / "pool") == whole


class Hopeless(InProcess):
    """A stand-in for pools whose workers all die of shard 1."""

    def __init__(self, deaths: list[int]) -> None:
        self._deaths = deaths

    def submit(self, fn, /, *args, **kwargs) -> Future:
        if isinstance(args[0], Job) and args[0].shard.number == 1:
            self._deaths.append(1)
            future: Future = Future()
            future.set_exception(BrokenProcessPool("A process in the process pool was terminated abruptly."))
            return future
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize("given", [True, False])
def test_a_shard_that_kills_every_worker_ends_the_study_in_a_sentence(
    given: bool, tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings
) -> None:
    deaths: list[int] = []
    workers = Workers(Hopeless(deaths) if given else partial(Hopeless, deaths), 1)
    with pytest.raises(RunError, match=r"failed twice \(BrokenProcessPool: .*Run the same command again"):
        run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "pool", small, workers)
    assert len(deaths) == 2


def test_a_pool_that_was_given_and_broke_ends_the_study_in_a_sentence(
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
