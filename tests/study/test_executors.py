"""The same bytes from every executor; a pool that breaks ends a study in one sentence."""

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from attn_core.__main__ import main
from attn_core.errors import RunError
from attn_core.models.files import ModelSpec
from attn_core.runs.run import Workers
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from tests.processes import warm
from tests.study.made_up import digests


@contextmanager
def served(part: str, file: Path, *options: str, without: str = "") -> Iterator[BaseProcess]:
    """Context manager with a process of a Dask cluster, its scheduler or a worker. without: a package it lacks."""
    arguments = ["--scheduler-file", str(file), "--no-dashboard", *options]
    process = warm().Process(target=_serve, args=(part, arguments, without))  # type: ignore[attr-defined]
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def _serve(part: str, arguments: list[str], without: str) -> None:
    sys.modules |= {without: None} if without else {}  # type: ignore[dict-item]
    import_module(f"distributed.cli.dask_{part}").main(arguments)


@pytest.mark.long
def test_a_pool_and_a_cluster_that_loses_a_worker_give_the_same_bytes(
    tmp_path: Path,
    tiny: ModelSpec,
    corpus_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def study(name: str, *options: str) -> int:
        of = ["--models", tiny.name, "--share", "0.1", "--shard-characters", "700", "--threads", "1"]
        return main(["study", str(corpus_folder), "--out", str(tmp_path / name), *of, *options])

    assert study("serial", "--workers", "1") == study("pool", "--workers", "2") == 0
    whole = digests(tmp_path / "serial")
    assert digests(tmp_path / "pool") == whole
    distributed, file = pytest.importorskip("distributed"), tmp_path / "scheduler.json"
    worker = partial(served, "worker", file, "--nthreads", "1", "--no-nanny")
    with (
        served("scheduler", file, "--host", "127.0.0.1", "--port", "0"),
        distributed.Client(scheduler_file=file) as one,
    ):
        address = one.scheduler.address
        with worker(without="attn_core"):
            one.wait_for_workers(1)
            assert study("dask", "--dask", address) == 2
            assert "install the package on the scheduler and on every worker" in capsys.readouterr().err
        with worker() as first, worker():
            while len(one.scheduler_info()["workers"]) != 2 or first.pid not in one.run(os.getpid).values():
                time.sleep(0.1)
            monkeypatch.setattr("attn_core.commands.workers.print_status", partial(_kill_when_counting, first))
            assert study("dask", "--dask", address) == 0
            assert not first.is_alive() and len(one.run(os.getpid)) == 1
    assert digests(tmp_path / "dask") == whole


def _kill_when_counting(process: BaseProcess, line: str, **_: bool) -> None:
    if line.startswith("running") and " 0 windows" not in line:
        process.kill()


@pytest.mark.long
def test_a_pool_whose_worker_died_ends_the_study(tmp_path: Path, tiny: ModelSpec, corpus_folder: Path) -> None:
    with ProcessPoolExecutor(1, warm()) as pool:
        with pytest.raises(BrokenProcessPool):
            pool.submit(os._exit, 1).result()
        with pytest.raises(RunError, match=r"Counting stopped \(.*Run the same command again"):
            run_study(Corpus(str(corpus_folder)), tiny, tmp_path / "pool", workers=Workers(pool))
