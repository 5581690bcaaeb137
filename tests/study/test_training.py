"""A study of a training grows with it: whatever comes when, its tables are those of a study made at once."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import transformers as hf

from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.study.corpus import Corpus
from attn_core.study.descriptions import left_out
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.subjects import from_checkpoints, with_baselines
from tests.families import ENCODER, SERVED, Family, save_tiny
from tests.study.conftest import SMALL
from tests.study.made_up import write_corpus

SHALLOW = Family(hf.BertConfig, ENCODER | {"num_hidden_layers": 2})
Look = Callable[..., Study]
pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def look(tmp_path: Path, run: Path) -> Look:
    """The study of all checkpoints there are, or of some steps."""
    corpus = Corpus(str(write_corpus(tmp_path / "texts", texts=4)))

    def study(name: str, steps: Sequence[int] | None = None) -> Study:
        subjects = from_checkpoints(run, ModelSpec(), numbers=steps)
        copies = with_baselines(subjects, ["untrained", "shuffled_weights"], seeds=1)
        return run_study(corpus, copies, tmp_path / name, SMALL)

    return study


def save(run: Path, step: int, family: Family = SERVED["bert"]) -> Path:
    return save_tiny(run / f"checkpoint-{step}", family, seed=step)


def without_weights(checkpoint: Path) -> None:
    (checkpoint / "model.safetensors").unlink()


def with_half_the_weights(checkpoint: Path) -> None:
    weights = checkpoint / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])


def without_a_tokenizer(checkpoint: Path) -> None:
    for file in checkpoint.glob("tokenizer*"):
        file.unlink()


def with_half_a_config(checkpoint: Path) -> None:
    config = checkpoint / "config.json"
    config.write_bytes(config.read_bytes()[:100])


@pytest.mark.parametrize(
    ("order", "family", "says"),
    [
        ((6, 2, 4, 9), SERVED["roberta"], "another longest window, tokenizer than most steps"),
        pytest.param(  # which has the copies at first
            (4, 6, 2, 9), SHALLOW, "another number of layers than most steps", marks=pytest.mark.long
        ),
    ],
    ids=["tokenizer", "depth"],
)
def test_steps_added_later_before_and_in_the_middle(
    order: Sequence[int], family: Family, says: str, run: Path, look: Look
) -> None:
    """One that is unlike the others has no drift and no untrained copies, and a reason."""
    for step in order:
        save(run, step, family if step == 4 else SERVED["bert"])
        grown = look("grown", [step] if step == 2 else None)
    study = look("at-once")
    assert study.stored == grown.stored
    assert [(one.step, bool(one.of)) for one in study.subjects] == [
        *((step, of) for step in (2, 4, 6, 9) for of in (False, True)), (None, True),
    ]  # fmt: skip
    drift = study.table("drift").set_index("step")["drift"]
    assert drift.index.unique().tolist() == [2, 6, 9] and (drift[9].abs() < 1e-6).all() and (drift[2] > 0.1).all()
    ((step, reason),) = left_out(study)[["step", "reason"]].to_numpy().tolist()
    assert (step, reason) == (4, f"no drift and no untrained copies: {says}")
    claims = study.claims.set_index("step")
    assert claims.loc[4, "untrained"].isna().all() and claims.loc[4, "shuffled_weights"].notna().any()
    assert all(claims.loc[step, "untrained"].notna().any() for step in (2, 6, 9))


@pytest.mark.long
def test_a_checkpoint_that_is_still_being_written(run: Path, look: Look) -> None:
    save(run, 3)
    alone = look("grown")
    halves = (without_weights, with_half_the_weights, without_a_tokenizer, with_half_a_config)
    for step, half in enumerate(halves, start=8):
        half(save(run, step))
    study = look("grown")
    assert left_out(study)["step"].tolist() == [8, 9, 10, 11] and study.claims.equals(alone.claims)
    for step in (8, 9, 11):
        shutil.rmtree(run / f"checkpoint-{step}")
    save(run, 10)
    grown = look("grown")
    assert grown.stored == look("at-once").stored and left_out(grown).empty


def test_what_was_counted_stays_after_its_checkpoint_is_taken_away(run: Path, look: Look) -> None:
    for step in (3, 6, 8):
        save(run, step)
    before = look("grown").stored
    shutil.rmtree(run / "checkpoint-3")
    without_weights(run / "checkpoint-6")
    assert look("grown").stored == before
    shutil.rmtree(run / "checkpoint-8")
    save(run, 9)
    grown = look("grown", [9])
    assert [one.step for one in grown.own] == [3, 6, 8, 9] and grown.claims["untrained"].notna().any()


def test_an_untrained_copy_is_known_by_its_configuration_and_tokenizer(run: Path) -> None:
    copies = [load(ModelSpec(str(save(run, step)), copy=("untrained", 4))) for step in (1, 2)]
    assert copies[0].revision == copies[1].revision != load(ModelSpec(str(run / "checkpoint-1"))).revision
    assert load(ModelSpec(str(save(run, 3, SHALLOW)), copy=("untrained", 4))).revision != copies[0].revision
    assert load(ModelSpec(copy=("untrained", 0))).revision.startswith("sha256:")


def test_the_folder_of_a_training_is_no_model_and_says_so(run: Path, look: Look) -> None:
    save(run, 3)
    with pytest.raises(InputError, match=r"has no weights itself.* such as .*/checkpoint-3; study --checkpoints takes"):
        load(ModelSpec(str(run)))
    with pytest.raises(InputError, match="has no checkpoint-7: its steps are 3"):
        look("study", [3, 7])
