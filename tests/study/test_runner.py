"""Nothing is lost and nothing is mixed up: refusals, locks, full disks, cancelled studies."""

from pathlib import Path

import pandas as pd
import pytest

from attn_core.errors import RunCancelled, RunError
from attn_core.models.controls import CONTROLS
from attn_core.models.files import ModelSpec
from attn_core.runs.progress import read_progress
from attn_core.runs.run import Workers
from attn_core.study.corpus import Corpus
from attn_core.study.descriptions import UNTRIED, describe_study, warnings_of
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import Subject, from_checkpoints, with_baselines
from tests.families import SERVED, save_tiny
from tests.study.made_up import stopped_after


@pytest.mark.parametrize(
    ("change", "says"), [("corpus", "its texts have changed"), ("model", "has counts of another ")]
)
def test_what_has_changed_is_refused_in_a_sentence(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings, change: str, says: str
) -> None:
    corpus, out = Corpus(str(corpus_folder)), tmp_path / "study"
    with pytest.raises(RunCancelled):
        run_study(corpus, tiny, out, small, Workers(progress=stopped_after(1)))
    if change == "corpus":
        (corpus_folder / "003.txt").write_text("Another text altogether.")
    else:
        tiny = ModelSpec(str(save_tiny(tmp_path / Path(tiny.name).name, SERVED["bert"], seed=1)))
    with pytest.raises(RunError, match=says):
        run_study(corpus, tiny, out, small)
    assert read_progress(out).status == "failed"


def test_a_corpus_without_any_text_is_said(tmp_path: Path, tiny: ModelSpec, small: StudySettings) -> None:
    (tmp_path / "a.jsonl").write_text("\n\n")
    with pytest.raises(RunError, match="There is no text at"):
        run_study(Corpus(str(tmp_path / "a.jsonl")), tiny, tmp_path / "study", small)


def test_subjects_are_added_later_and_one_that_fails_keeps_its_reason(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings
) -> None:
    corpus, out = Corpus(str(corpus_folder)), tmp_path / "study"
    alone = run_study(corpus, tiny, out, small)
    missing = ModelSpec("nobody/has-this-model")
    both = run_study(corpus, [*with_baselines([missing]), *with_baselines([tiny], CONTROLS, seeds=1)], out, small)
    names = [subject.name for subject in both.subjects]
    own = alone.subjects[0].name
    assert names == [own, f"{own}+untrained:0", f"{own}+shuffled_weights:0", f"{own}+shuffled_text"]
    problems = both.table("subjects").set_index("subject")["problem"]
    assert "is not on this machine yet" in problems["nobody/has-this-model"] and not problems[names].any()
    pd.testing.assert_frame_equal(both.of().heads, alone.of().heads)
    claims = both.of().claims
    assert claims["untrained"].notna().all() and claims["shuffled_text"].notna().any()
    assert run_study(corpus, tiny, out, small).records == both.records


def test_a_study_whose_first_subject_failed_is_described(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings
) -> None:
    missing, there = (Subject(name, spec) for name, spec in (("a", ModelSpec("nobody/has-this-model")), ("b", tiny)))
    study = run_study(Corpus(str(corpus_folder)), [missing, there], tmp_path / "study", small)
    assert describe_study(study)[1].startswith("14 texts in ") and warnings_of(study) == [UNTRIED]


def test_steps_of_a_training_have_the_drift_of_their_heads(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings
) -> None:
    for step, seed in {4: 1, 9: 2}.items():
        save_tiny(tmp_path / "run" / f"checkpoint-{step}", SERVED["bert"], seed=seed)
    steps = with_baselines(from_checkpoints(tmp_path / "run", tiny), ["untrained", "shuffled_weights"], seeds=1)
    study = run_study(Corpus(str(corpus_folder)), steps, tmp_path / "study", small)
    assert [(subject.step, bool(subject.of)) for subject in study.subjects] == [
        (4, False), (4, True), (9, False), (9, True), (None, True),
    ]  # fmt: skip
    drift = study.table("drift").set_index("step")["drift"]
    assert (drift[9].abs() < 1e-6).all() and (drift[4] > 0.1).all()
    claims = study.claims.set_index(["subject", "step"]).loc[("run", 4)]
    assert claims["untrained"].notna().any() and claims["shuffled_weights"].notna().any()
