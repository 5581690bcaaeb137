"""Where nobody says how many processes share the work, as many do as help."""

import math
import re
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attn_core.__main__ import main
from attn_core.errors import RunError
from attn_core.models import loading, windows
from attn_core.models.facts import facts_of
from attn_core.models.files import ModelSpec
from attn_core.runs import executors
from attn_core.runs.executors import ENOUGH, LOADING, MOST, OF_A_WORKER, ON_GPU, helpful_workers
from attn_core.study import runner
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


def test_memory_here_and_on_a_gpu_has_room_for_a_model_each_and_long_windows_are_left_to_one_process(
    monkeypatch: pytest.MonkeyPatch, tiny: ModelSpec
) -> None:
    """A model that is missing is left to the run to tell of."""
    assert helpful_workers(MUCH, [ModelSpec("no-such/model"), ModelSpec()], 2) == 2
    assert helpful_workers(MUCH, [replace(ModelSpec(), window_tokens=4096)], 8) == 1
    large = max(facts_of(spec).bytes for spec in (ModelSpec(), tiny))
    for memory, workers in ((3.5 * (OF_A_WORKER + LOADING * large), 3), (OF_A_WORKER / 2, 1)):
        monkeypatch.setattr(executors, "available_memory", lambda: memory)  # noqa: B023
        assert helpful_workers(MUCH, [tiny, ModelSpec()], 8) == workers
    monkeypatch.setattr(executors, "available_memory", lambda: math.inf)
    monkeypatch.setattr(loading, "best_device", lambda: "mps")
    assert helpful_workers(MUCH, [ModelSpec()], 8) == 1
    monkeypatch.setattr(loading, "best_device", lambda: "cuda")
    for memory, workers in ((3.5 * (ON_GPU + LOADING * large), 3), (ON_GPU, 1), (math.inf, 8)):
        monkeypatch.setattr(loading, "free_memory_of_gpu", lambda: memory)  # noqa: B023
        assert helpful_workers(MUCH, [tiny, ModelSpec()], 8) == workers


@pytest.mark.parametrize(("most", "taken", "left"), [("4000", "1000", 3000), ("max", "1000", None), ("10", "20", 0)])
def test_a_container_has_the_memory_that_it_is_given(
    most: str, taken: str, left: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pytest.approx(windows.available_memory(), rel=0.5)
    monkeypatch.setattr(windows, "CONTAINER", tmp_path)
    (tmp_path / "memory.max").write_text(most)
    (tmp_path / "memory.current").write_text(taken)
    assert windows.available_memory() == (whole if left is None else left)


@pytest.mark.parametrize(
    ("options", "workers", "threads"),
    [([], [4], 1), (["--cores", "2"], [2], 1), (["--workers", "2"], [2], 2), (["--workers", "1"], [], None),
     (["--cores", "1"], [], 1), (["--cores", "3", "--workers", "1"], [], 3), (["--threads", "3"], [4], 3)],
)  # fmt: skip
def test_the_command_takes_as_many_as_help(
    options: list[str], workers: list[int], threads: int | None, tiny: ModelSpec, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """On a machine of four cores, with texts that are enough for all of them."""
    monkeypatch.setattr(executors, "ENOUGH", 100)
    monkeypatch.setattr("joblib.cpu_count", lambda: 4)
    pool, run = Mock(return_value=executors.InProcess()), Mock(side_effect=RunError("That is enough."))
    monkeypatch.setattr(executors, "Processes", pool)
    monkeypatch.setattr(runner, "run_study", run)
    texts = write_corpus(tmp_path / "texts", texts=6)
    assert main(["study", str(texts), "--out", str(tmp_path / "out"), "--model", tiny.name, *options]) == 2
    assert re.findall("([0-9]+) workers share the texts", capsys.readouterr().err) == list(map(str, workers))
    assert [call.args[0] for call in pool.call_args_list] == workers
    assert run.call_args.args[-1].threads == threads
