"""Which models stay in memory."""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from attn_core.errors import ModelError
from attn_core.models.files import ModelSpec, readable_weights, size_of
from attn_core.models.loading import load
from attn_core.models.memory import HeldModels, half_of_memory

INF = float("inf")


@pytest.fixture
def specs(tiny_folder: Callable[[str], Path]) -> list[ModelSpec]:
    folder = str(tiny_folder("bert"))
    return [ModelSpec(folder), ModelSpec(folder, twin=("untrained", 0)), ModelSpec(folder, twin=("untrained", 1))]


def loads(specs: list[ModelSpec], room: float, asked: str) -> list[ModelSpec]:
    """What is loaded when models are asked for by their number, in that order."""
    made: list[ModelSpec] = []

    def counted(spec: ModelSpec) -> object:
        made.append(spec)
        return spec

    held = HeldModels(counted, room)  # type: ignore[arg-type]
    for number in asked:
        assert held.get(specs[int(number)]) == specs[int(number)]  # type: ignore[comparison-overlap]
    return made


def test_two_models_stay_and_a_third_takes_the_place_of_the_one_asked_for_longest_ago(specs: list[ModelSpec]) -> None:
    a, b, c = specs
    assert loads(specs, INF, "0101") == [a, b]
    assert loads(specs, INF, "0102012") == [a, b, c, b, c]


def test_two_that_are_too_large_together_come_one_after_the_other(specs: list[ModelSpec]) -> None:
    a, b, _ = specs
    size = 4 * size_of(readable_weights(a, Path(a.name)))[1]
    assert loads(specs, 2 * size, "0101") == [a, b]
    assert loads(specs, 2 * size - 1, "0101") == [a, b, a, b]
    assert loads(specs, 0, "00") == [a]  # one is held, whatever its size


def test_what_cannot_be_loaded_is_not_held(specs: list[ModelSpec], tmp_path: Path) -> None:
    held = HeldModels(load, INF)
    with pytest.raises(ModelError):
        held.get(ModelSpec(str(tmp_path)))
    assert held.get(specs[0]) is held.get(specs[0])


def test_sessions_that_ask_at_once_load_it_once(specs: list[ModelSpec]) -> None:
    made: list[ModelSpec] = []
    held = HeldModels(lambda spec: made.append(spec) or spec, INF)  # type: ignore[arg-type, func-returns-value]
    threads = [Thread(target=held.get, args=(specs[0],)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [specs[0]]


def test_there_is_room_for_the_packaged_model() -> None:
    assert half_of_memory() > 4 * 22_713_216


def test_a_model_that_is_held_does_not_wait_for_another_that_is_loaded(specs: list[ModelSpec]) -> None:
    begun, may_end = Event(), Event()

    def slowly(spec: ModelSpec) -> object:
        if spec == specs[1]:
            begun.set()
            assert may_end.wait(60)
        return spec

    held = HeldModels(slowly, INF)  # type: ignore[arg-type]
    held.get(specs[0])
    other = Thread(target=held.get, args=(specs[1],))
    other.start()
    assert begun.wait(60)
    loaded: list[object] = []
    asked = Thread(target=lambda: loaded.append(held.get(specs[0])), daemon=True)
    asked.start()
    asked.join(20)
    may_end.set()
    other.join()
    assert loaded == [specs[0]]
