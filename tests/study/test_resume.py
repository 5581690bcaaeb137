"""kill -9 at any moment: the same command goes on, and the result is the same to the bit."""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from attn_core.models.files import ModelSpec
from attn_core.runs import folder as run_folder
from attn_core.runs.progress import Progress, read_progress
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from tests.processes import command
from tests.runs.conftest import shards_of
from tests.study.made_up import digests, write_corpus

SETTINGS = StudySettings(shard_characters=2000)  # as `start` has them


def start(corpus: Path, spec: ModelSpec, out: Path, *more: str) -> BaseProcess:
    """The study as a command in a process of its own; `said` is where it writes what it says."""
    arguments = ["study", str(corpus), "--models", spec.name, "--out", str(out), "--threads", "1"]
    return command([*arguments, "--shard-characters", "2000", *more], said(out))


def said(out: Path) -> Path:
    return out.with_name(f"{out.name}.said")


def wait_until(process: BaseProcess, happened: Callable[[], bool]) -> None:
    """Or until the process has ended."""
    end = time.monotonic() + 240
    while not happened() and process.is_alive():
        assert time.monotonic() < end
        time.sleep(0.005)


def wait_for_shards(process: BaseProcess, out: Path, number: int) -> None:
    wait_until(process, lambda: len(shards_of(out)) >= number)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_killed_twelve_times_a_study_comes_out_the_same(tmp_path: Path, tiny: ModelSpec) -> None:
    """Before it counts, eight times while it counts, and three times while it makes its tables."""
    corpus = write_corpus(tmp_path / "texts", texts=30, sentences=16)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run_study(Corpus(str(corpus)), tiny, whole, SETTINGS)
    moments = random.Random(11)
    for kill in range(12):
        before, pools = len(shards_of(killed)), kill > 8
        if pools:
            shutil.rmtree(killed / run_folder.TABLES, ignore_errors=True)
        process = start(corpus, tiny, killed)
        if pools:
            wait_until(process, lambda: (read_progress(killed) or Progress()).status == "pooling")
        elif kill:
            wait_for_shards(process, killed, before + 1)
        else:
            wait_until(process, (killed / run_folder.MANIFEST).exists)
        time.sleep(moments.uniform(0, 0.1))
        process.kill()
        process.join(30)
        assert process.exitcode == -signal.SIGKILL, kill
        assert (now := read_progress(killed)) and now.status in ("interrupted", "starting"), kill
    run_study(Corpus(str(corpus)), tiny, killed, SETTINGS)
    assert digests(killed) == digests(whole)
    assert Study.open(killed).of().provenance["texts"] > 20  # those of few pairs are left out


@pytest.mark.long
def test_workers_end_with_a_study_that_was_killed(tmp_path: Path, tiny: ModelSpec) -> None:
    out = tmp_path / "study"
    process = start(write_corpus(tmp_path / "texts", texts=30, sentences=16), tiny, out, "--workers", "2")
    wait_for_shards(process, out, 1)
    children = [int(child) for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    process.kill()
    process.join(30)
    assert children
    end = time.monotonic() + 240
    while any(_alive(child) for child in children):
        assert time.monotonic() < end
        time.sleep(0.1)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]


pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="reads /proc to find the workers")
