"""Where nobody says how many processes share the work, as many do as help."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attn_core.__main__ import main
from attn_core.models import loading, windows
from attn_core.models.files import ModelSpec
from attn_core.models.windows import bytes_of_weights
from attn_core.runs import executors
from attn_core.runs.executors import ENOUGH, LOADING, MOST, OF_A_WORKER, helpful_workers
from tests.study.made_up import write_corpus

MUCH = 100 * ENOUGH


@pytest.fixture(autouse=True)
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a GPU, of which the memory has no end that is known."""
    monkeypatch.setattr(loading, "best_device", lambda: "cpu")
    monkeypatch.setattr(executors, "available_memory", lambda: math.inf)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 300 * ENOUGH), st.integers(1, 100))
def test_each_has_enough_to_do_and_a_core(size: int, cores: int) -> None:
    workers = helpful_workers(size, [ModelSpec()], cores)
    assert 1 <= workers <= min(cores, MOST)
    assert workers == 1 or workers * ENOUGH <= size
    assert workers in (cores, MOST) or (workers + 1) * ENOUGH > size


def test_memory_has_room_for_a_model_each(monkeypatch: pytest.MonkeyPatch, tiny: ModelSpec) -> None:
    large = max(map(bytes_of_weights, (ModelSpec(), tiny)))
    monkeypatch.setattr(executors, "available_memory", lambda: 3.5 * (OF_A_WORKER + LOADING * large))
    assert helpful_workers(MUCH, [tiny, ModelSpec()], 8) == 3
    monkeypatch.setattr(executors, "available_memory", lambda: OF_A_WORKER / 2)
    assert helpful_workers(MUCH, [tiny], 8) == 1


def test_a_gpu_and_long_windows_are_left_to_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert helpful_workers(MUCH, [replace(ModelSpec(), window_tokens=4096)], 8) == 1
    monkeypatch.setattr(loading, "best_device", lambda: "cuda")
    assert helpful_workers(MUCH, [ModelSpec()], 8) == 1


def test_a_model_that_is_not_here_is_left_to_the_run_to_tell_of() -> None:
    assert helpful_workers(MUCH, [ModelSpec("no-such/model"), ModelSpec()], 2) == 2


@pytest.mark.parametrize(("most", "taken", "left"), [("4000", "1000", 3000), ("max", "1000", None), ("10", "20", 0)])
def test_a_container_has_the_memory_that_it_is_given(
    most: str, taken: str, left: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = windows.available_memory()
    monkeypatch.setattr(windows, "CONTAINER", tmp_path)
    (tmp_path / "memory.max").write_text(most)
    (tmp_path / "memory.current").write_text(taken)
    found = windows.available_memory()
    assert found == left if left is not None else found == pytest.approx(whole, rel=0.5)


class _Asked:
    """Takes note of the pools that are asked for; each works in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.workers: list[int] = []
        self.threads: list[int | None] = []
        from attn_core.study import runner

        real: Callable = runner.run_study

        def run_study(*arguments: Any) -> object:
            *asked, workers = arguments
            self.threads.append(workers.threads)
            return real(*asked, replace(workers, threads=None))

        monkeypatch.setattr(executors, "Processes", self._pool)
        monkeypatch.setattr(runner, "run_study", run_study)

    def _pool(self, workers: int) -> executors.InProcess:
        self.workers.append(workers)
        return executors.InProcess()


@pytest.mark.parametrize(
    ("options", "workers", "threads"),
    [([], [4], [1]), (["--cores", "2"], [2], [1]), (["--workers", "2"], [2], [2]), (["--workers", "1"], [], [None]),
     (["--cores", "1"], [], [1]), (["--cores", "3", "--workers", "1"], [], [3]), (["--threads", "3"], [4], [3])],
)  # fmt: skip
def test_the_command_takes_as_many_as_help(
    options: list[str], workers: list[int], threads: list[int | None], tiny: ModelSpec, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """On a machine of four cores, with texts that are enough for all of them."""
    monkeypatch.setattr(executors, "ENOUGH", 100)
    monkeypatch.setattr("joblib.cpu_count", lambda: 4)
    asked = _Asked(monkeypatch)
    texts = write_corpus(tmp_path / "texts", texts=6)
    assert main(["study", str(texts), "--out", str(tmp_path / "out"), "--model", tiny.name, *options]) == 0
    assert re.findall("([0-9]+) workers share the texts", capsys.readouterr().err) == list(map(str, workers))
    assert asked.workers == workers
    assert asked.threads == threads
