"""Which steps a series has: told by revisions or by folders, or refused in one sentence."""

import shutil
from pathlib import Path

import pytest
from attn_core.series.sources import from_checkpoints, from_revisions

from attn_core.errors import InputError, ModelError
from attn_core.models.files import ModelSpec


def test_revisions_tell_their_steps_and_stand_in_their_order() -> None:
    sources = from_revisions("org/model", ["step1000", "seed_3-step_20k", "step0"])
    assert [(source.number, source.spec.revision) for source in sources] == [
        (0, "step0"), (1000, "step1000"), (20_000, "seed_3-step_20k"),
    ]  # fmt: skip


def test_revisions_that_tell_no_step_are_given_one() -> None:
    sources = from_revisions("org/model", ["main", "early"], [9, 3])
    assert [(source.number, source.name) for source in sources] == [(3, "early"), (9, "main")]


@pytest.mark.parametrize(
    ("revisions", "numbers", "says"),
    [
        (["main"], None, "The revision main does not tell its step"),
        (["step1", "step01"], None, "step1 and step01 are both step 1"),
        (["a", "b"], [1], "There are 1 steps for 2 revisions"),
        (["step100000000"], None, "at most eight digits"),
        (["step" + "9" * 5000], None, "does not tell its step"),
    ],
)
def test_revisions_that_make_no_series(revisions: list[str], numbers: list[int] | None, says: str) -> None:
    with pytest.raises(InputError, match=says):
        from_revisions("org/model", revisions, numbers)


def test_a_revision_that_is_not_here_is_named(hub_cache: Path) -> None:
    with pytest.raises(ModelError, match="Revision step5 of org/model is not on this machine yet"):
        from_revisions("org/model", ["step5"])[0].revision()


def test_checkpoints_in_the_order_of_their_numbers(tiny_bert_folder: Path, tmp_path: Path) -> None:
    for number in (1000, 20):
        shutil.copytree(tiny_bert_folder, tmp_path / "run" / f"checkpoint-{number}")
    for left_over in ("checkpoint-best", "tensorboard"):
        (tmp_path / "run" / left_over).mkdir()
    (tmp_path / "run" / "checkpoint-20" / "tokenizer.json").unlink()
    sources = from_checkpoints(tmp_path / "run", ModelSpec("base"))
    assert [(source.name, source.spec.tokenizer) for source in sources] == [
        ("checkpoint-20", "base"), ("checkpoint-1000", None),
    ]  # fmt: skip


def test_a_folder_without_checkpoints(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no checkpoint"):
        from_checkpoints(tmp_path, ModelSpec())
    with pytest.raises(InputError, match="There is no folder"):
        from_checkpoints(tmp_path / "nowhere", ModelSpec())


def test_a_checkpoint_of_pickles_is_refused(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-5").mkdir()
    (tmp_path / "checkpoint-5" / "pytorch_model.bin").write_bytes(b"")
    (source,) = from_checkpoints(tmp_path, ModelSpec())
    with pytest.raises(ModelError, match="pickle"):
        source.revision()
