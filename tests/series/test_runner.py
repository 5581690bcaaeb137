"""`python -m attn_core series`: every step a study, all of them one folder; cut off, it goes on."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import safetensors.torch

from attn_core.__main__ import main
from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.series.gathered import has_twins
from attn_core.series.opened import Series, open_series
from attn_core.series.runner import run_series
from attn_core.series.sources import from_checkpoints
from attn_core.study.corpus import Corpus
from attn_core.study.opened import open_study
from attn_core.study.settings import StudySettings
from tests.fake_hub import fake_hub
from tests.families import SERVED, Folder, save_whole
from tests.study.made_up import write_corpus

pytestmark = pytest.mark.slow
STEPS = (0, 10, 300)
SETTINGS = StudySettings()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, tiny_folder: Folder) -> Path:
    """Three checkpoints of a tiny model, the last without a tokenizer, and some texts."""
    folder = tmp_path_factory.mktemp("series")
    for at, number in enumerate(STEPS):
        checkpoint = shutil.copytree(tiny_folder("bert"), folder / "run" / f"checkpoint-{number}")
        weights = safetensors.torch.load_file(checkpoint / "model.safetensors")
        changed = {
            name: tensor * (1 - 0.3 * (2 - at)) if "query" in name else tensor for name, tensor in weights.items()
        }
        safetensors.torch.save_file(changed, checkpoint / "model.safetensors", {"format": "pt"})
    for file in (folder / "run" / "checkpoint-300").glob("tokenizer*"):
        file.unlink()
    write_corpus(folder / "texts", texts=4)
    return folder


def run(place: Path, out: Path, base: Path) -> Series:
    sources = from_checkpoints(place / "run", ModelSpec(str(base)))
    return run_series("tiny", sources, Corpus(str(place / "texts")), out, SETTINGS)


@pytest.fixture(scope="module")
def whole(place: Path, tiny_folder: Folder) -> Series:
    return run(place, place / "whole", tiny_folder("bert"))


def test_the_command_prints_a_row_a_step(
    place: Path, tiny_folder: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = shutil.copytree(place / "run" / "checkpoint-300", tmp_path / "run" / "checkpoint-300").parent
    options = ["--checkpoints", one, "--texts", place / "texts", "--limit", 1, "--out", tmp_path / "out"]
    assert main(["series", str(tiny_folder("bert")), *map(str, options)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == f"Checkpoints without a tokenizer read with that of {tiny_folder('bert')}."
    assert printed[3].startswith("| 300 | ") and "| 0.00 0.00 0.00 |" in printed[3]
    assert printed[-1].startswith("1 steps: tables in ")


def test_revisions_are_fetched_from_the_hub_and_studied(
    place: Path, whole: Series, hub_at: Callable[[str], None], tmp_path: Path
) -> None:
    revisions = {f"step{number}": place / "run" / f"checkpoint-{number}" for number in STEPS[:2]}
    options = "--download", "--texts", str(place / "texts"), "--out", str(tmp_path / "out")
    with fake_hub("some-one/tiny", revisions) as address:
        hub_at(address)
        assert main(["series", "some-one/tiny", "--revisions", *revisions, *options]) == 0
    columns = ["step", "layer", "head", "mean_distance", "repetition_share", "anchor"]
    fetched, all_steps = (series.tables["heads"][columns] for series in (open_series(tmp_path / "out"), whole))
    pd.testing.assert_frame_equal(fetched, all_steps[all_steps["step"] <= STEPS[1]].reset_index(drop=True))


def test_twins_and_entropy_can_be_asked_later(place: Path, tmp_path: Path) -> None:
    """Of two checkpoints with a language-model head; what was counted without them stays."""
    for number in STEPS[:2]:
        save_whole(tmp_path / "run" / f"checkpoint-{number}", SERVED["bert"])
    sources = from_checkpoints(tmp_path / "run", ModelSpec("none"))
    asked = "tiny", sources, Corpus(str(place / "texts")), tmp_path / "out", SETTINGS
    plain = run_series(*asked)
    assert "claims" in plain.tables and not has_twins(plain.tables["claims"])
    counted = (tmp_path / "out" / "studies" / "00000000" / "manifest.json").stat().st_mtime_ns
    whole = run_series(*asked, twins=True, entropy=True)
    assert (tmp_path / "out" / "studies" / "00000000" / "manifest.json").stat().st_mtime_ns == counted
    untrained, permuted = (
        open_study(tmp_path / "out" / "studies" / name) for name in ("untrained", "00000010-permuted")
    )
    of_step = whole.tables["claims"].query("step == 10").set_index("effect")
    for name, twin in (("untrained", untrained), ("permuted", permuted)):
        values = twin.effects.set_index("effect")["value"].reindex(of_step.index)
        known = of_step[name].notna()
        pd.testing.assert_series_equal(of_step.loc[known, name], values[known], check_names=False)
    assert has_twins(whole.tables["claims"]) and set(whole.tables["entropies"]["step"]) == {0, 10}
    pd.testing.assert_frame_equal(whole.tables["heads"], plain.tables["heads"])


def test_a_series_is_the_studies_of_its_steps(whole: Series) -> None:
    assert whole.numbers == list(STEPS)
    for number in STEPS:
        study = open_study(whole.folder / "studies" / f"{number:08d}")
        for name in ("heads", "layers"):
            of_step = whole.tables[name].query("step == @number").drop(columns="step").reset_index(drop=True)
            pd.testing.assert_frame_equal(of_step, getattr(study, name).reset_index(drop=True))
    assert whole.tables["heads"].groupby("step")["mean_distance"].mean().nunique() == 3


def test_what_only_a_series_tells(whole: Series) -> None:
    drift = whole.tables["drift"].groupby("step")["drift"].mean()
    assert drift[0] > drift[10] > drift[300] == 0
    roles = whole.tables["heads"].pivot(index=["layer", "head"], columns="step", values="role")
    for row in whole.tables["settled"].itertuples():
        has = roles.loc[(row.layer, row.head)]
        assert row.role == has[300]
        assert row.since_step == min(step for step in STEPS if (has[has.index >= step] == row.role).all())
    counts = whole.tables["roles"].groupby("step")["heads"].sum()
    assert (counts == len(roles)).all()


def test_a_checkpoint_without_a_tokenizer_reads_with_that_of_the_base_model(whole: Series, tiny_folder: Folder) -> None:
    tokenizers = whole.tables["steps"]["tokenizer"].map(lambda name: Path(name).name).tolist()
    assert tokenizers == ["checkpoint-0", "checkpoint-10", tiny_folder("bert").name]


def test_other_weights_under_the_name_of_a_step_are_refused(
    place: Path, whole: Series, tiny_folder: Folder, tmp_path: Path
) -> None:
    other = shutil.copytree(place, tmp_path / "place", ignore=shutil.ignore_patterns("whole"))
    shutil.copy(other / "run" / "checkpoint-10" / "model.safetensors", other / "run" / "checkpoint-0")
    with pytest.raises(InputError, match="checkpoint-0 has other weights than when the series"):
        run(other, whole.folder, tiny_folder("bert"))


def test_a_step_of_another_model_is_refused(place: Path, whole: Series, tiny_folder: Folder, tmp_path: Path) -> None:
    out = shutil.copytree(whole.folder, tmp_path / "out")
    other = shutil.copytree(place, tmp_path / "place", ignore=shutil.ignore_patterns("whole"))
    shutil.copytree(tiny_folder("gpt2"), other / "run" / "checkpoint-400")
    with pytest.raises(InputError, match="checkpoint-400 has other layers, heads or tokens than checkpoint-0"):
        run(other, out, tiny_folder("bert"))
    assert open_series(out).numbers == list(STEPS)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--revisions", "step1"], "Revisions of which model?"),
        (["m", "--revisions", "step1", "--checkpoints", "x"], "not allowed with argument --revisions"),
        (["--checkpoints", ".", "--steps", "1"], "--steps goes with --revisions"),
        (["org/model", "--revisions", "step1"], "Revision step1 of org/model is not on this machine yet"),
    ],
)
def test_options_that_make_no_sense(
    options: list[str], says: str, place: Path, hub_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["series", *options, "--texts", str(place / "texts"), "--out", str(tmp_path / "x")]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_probes_fit_a_model_of_short_windows(place: Path, tiny_folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    for name in ("a", "b"):
        (tmp_path / "texts" / f"{name}.txt").write_text("The tide rose and the moon set. " * 60)
    sources = from_checkpoints(place / "run", ModelSpec(str(tiny_folder("bert"))))[:1]
    series = run_series("tiny", sources, Corpus(str(tmp_path / "texts")), tmp_path / "out", SETTINGS)
    assert list(series.numbers) == [0]


def test_what_is_called_otherwise_is_no_step_and_is_left_alone(
    place: Path, whole: Series, tiny_folder: Folder, tmp_path: Path
) -> None:
    out = shutil.copytree(whole.folder, tmp_path / "out")
    strays = [shutil.copytree(out / "steps" / "00000010", out / "steps" / name) for name in ("00000010 (copy)", "1")]
    assert open_series(out).numbers == list(STEPS)
    shutil.rmtree(out / "tables")
    assert open_series(out).numbers == list(STEPS)
    (out / "tables").mkdir()
    (out / "tables" / "notes.txt").write_text("mine")
    assert run(place, out, tiny_folder("bert")).numbers == list(STEPS)
    assert all(stray.is_dir() for stray in strays)
    assert (out / "tables" / "notes.txt").read_text() == "mine"
