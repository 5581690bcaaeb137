"""Every file of a study, damaged in every way, is counted again, pooled again or refused: never read as a number."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.errors import RunCancelled
from attn_core.runs.lock import holder
from attn_core.runs.progress import read_progress
from attn_core.study.corpus import Corpus
from attn_core.study.opened import open_study
from attn_core.study.runner import run_study
from tests.study.conftest import SMALL
from tests.study.made_up import digests, stopped_after, write_corpus


def flipped(file: Path, dice: random.Random) -> None:
    data = bytearray(file.read_bytes())
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    file.write_bytes(data)


def a_folder(file: Path, _: random.Random) -> None:
    file.unlink()
    (file / "inside").mkdir(parents=True)


DAMAGE: dict[str, Callable[[Path, random.Random], object]] = {
    "missing": lambda file, _: file.unlink(),
    "empty": lambda file, _: file.write_bytes(b""),
    "truncated": lambda file, dice: file.write_bytes(file.read_bytes()[: dice.randrange(1, file.stat().st_size)]),
    "one bit flipped": flipped,
    "another bit flipped": flipped,
    "a folder": a_folder,
    "another file": lambda file, _: file.write_bytes(files.to_json({"status": "finished", "done": 1.0})),
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(str(write_corpus(tmp_path_factory.mktemp("damage") / "texts", texts=4)))


@pytest.fixture(scope="module")
def whole(texts: Corpus, tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_study(texts, tiny, tmp_path_factory.mktemp("whole") / "study", SMALL).folder


@pytest.fixture(scope="module")
def half(texts: Corpus, tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("half") / "study"
    with pytest.raises(RunCancelled):
        run_study(texts, tiny, folder, SMALL, progress=stopped_after(1))
    return folder


def everything_in(study: Path) -> list[Path]:
    return sorted(file.relative_to(study) for file in study.rglob("*") if file.is_file() and file.name != files.LOCK)


def parts_of(study: Path, dice: random.Random) -> list[Path]:
    """The manifest and the progress, and of shards, examples and tables the checksums and one other file."""
    names = everything_in(study)
    parts = [name for name in names if len(name.parts) == 1]
    for part in (files.SHARDS, files.EXAMPLES, files.TABLES):
        inside = [name for name in names if name.parts[0] == part]
        if inside:
            parts += [
                dice.choice([name for name in inside if (name.name == files.CHECKSUMS) is chosen])
                for chosen in (True, False)
            ]
    return parts


@pytest.mark.parametrize("kind", DAMAGE)
def test_no_damage_becomes_a_number(kind: str, whole: Path, tmp_path: Path) -> None:
    dice, numbers = random.Random(kind), open_study(whole).heads
    for name in everything_in(whole):
        study = shutil.copytree(whole, tmp_path / "study" / "study")
        DAMAGE[kind](study / name, dice)
        assert read_progress(study).status == "finished"
        if name.parts[0] in (files.TABLES, files.MANIFEST):
            with pytest.raises(InputError) as refused:
                open_study(study)
            assert "\n" not in str(refused.value)
        else:
            assert open_study(study).heads.equals(numbers)
        shutil.rmtree(tmp_path / "study")


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("state", ["whole", "half"])
def test_a_damaged_study_is_mended_or_refused_when_it_goes_on(
    state: str, kind: str, whole: Path, half: Path, texts: Corpus, tiny: ModelSpec, tmp_path: Path
) -> None:
    dice, begun = random.Random(kind), {"whole": whole, "half": half}[state]
    for name in parts_of(begun, dice):
        study = shutil.copytree(begun, tmp_path / "study" / "study")
        DAMAGE[kind](study / name, dice)
        if name.name == files.MANIFEST:
            with pytest.raises(InputError, match="manifest of the study|holds other files|another format"):
                run_study(texts, tiny, study, SMALL)
        else:
            run_study(texts, tiny, study, SMALL)
            assert digests(study) == digests(whole)
        shutil.rmtree(tmp_path / "study")


def test_a_shard_in_anothers_place_and_one_too_many_are_not_counted(
    whole: Path, texts: Corpus, tiny: ModelSpec, tmp_path: Path
) -> None:
    study = shutil.copytree(whole, tmp_path / "study")
    first, second = files.shard_paths(study)[:2]
    shutil.rmtree(second)
    shutil.copytree(first, second)
    shutil.copytree(first, files.shard_path(study, 99))
    run_study(texts, tiny, study, SMALL)
    assert digests(study) == digests(whole)


def test_a_study_that_is_open_does_not_change_with_its_files(whole: Path, tmp_path: Path) -> None:
    study = open_study(shutil.copytree(whole, tmp_path / "study"))
    shutil.rmtree(tmp_path / "study")
    assert study.heads.equals(open_study(whole).heads)
    assert study.files()["heads.csv"] == (whole / files.TABLES / "heads.csv").read_bytes()


def test_who_works_in_a_folder_is_read_from_progress_as_it_was_written(whole: Path, tmp_path: Path) -> None:
    study = shutil.copytree(whole, tmp_path / "study")
    said = files.to_json({"pid": 4321, "host": "here"})
    (study / files.PROGRESS).write_bytes(said.replace(b"4321", b"4322"))
    assert holder(study) is None
    (study / files.PROGRESS).write_bytes(said)
    assert holder(study) == {"pid": 4321, "host": "here"}
