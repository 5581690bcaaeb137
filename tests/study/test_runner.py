"""Subjects of a study: added later, failed, steps of a training; and what has changed is refused."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from attn_core import __version__
from attn_core.errors import InputError, RunCancelled, RunError
from attn_core.models.baselines import CONTROLS
from attn_core.models.files import ModelSpec
from attn_core.runs.job import RunModel
from attn_core.runs.progress import read_progress
from attn_core.runs.run import Workers
from attn_core.study import runner
from attn_core.study.corpus import Corpus
from attn_core.study.descriptions import UNTRIED, describe_study, warnings_of
from attn_core.study.runner import run_study
from attn_core.study.settings import Job, StudySettings, definitions
from attn_core.study.subjects import with_baselines
from attn_core.study.worker import count_shard
from tests.families import SERVED, save_tiny
from tests.study.made_up import digests, stopped_after, write_corpus


def test_subjects_are_added_later_and_one_that_fails_keeps_its_reason(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings
) -> None:
    corpus, out, missing = Corpus(str(corpus_folder)), tmp_path / "study", ModelSpec("nobody/has-this-model")
    alone = run_study(corpus, [*with_baselines([missing]), *with_baselines([tiny])], out, small)
    assert describe_study(alone)[1].startswith("14 texts in ") and warnings_of(alone) == [UNTRIED]
    both = run_study(corpus, [*with_baselines([missing]), *with_baselines([tiny], CONTROLS, seeds=1)], out, small)
    names = [subject.name for subject in both.subjects]
    own = alone.subjects[0].name
    assert names == [own, f"{own}+untrained:0", f"{own}+shuffled_weights:0", f"{own}+shuffled_text:0"]
    problems = both.table("subjects").set_index("subject")["problem"]
    assert "is not on this machine yet" in problems["nobody/has-this-model"] and not problems[names].any()
    pd.testing.assert_frame_equal(both.of().heads, alone.of().heads)
    claims = both.of().claims
    assert claims["untrained"].notna().all() and claims["shuffled_text"].notna().any()
    assert run_study(corpus, tiny, out, small).records == both.records
    with pytest.raises(RunError, match="in layout plain: choose a new folder"):
        run_study(corpus, with_baselines([tiny], layout="separated"), out, small)


def test_a_study_of_a_program_that_counted_other_things_is_refused(
    tmp_path: Path, tiny: ModelSpec, small: StudySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a subject more and with none, in a sentence that names what is new; the manifest names what was counted."""
    corpus, out = Corpus(str(write_corpus(tmp_path / "texts", texts=4))), tmp_path / "study"
    counted = run_study(corpus, tiny, out, small).manifest["counts"]
    assert counted["mean_distance"].startswith("How far apart") and "supported above 60%" in counted["own_pairs"]
    before = digests(out)
    for name in ("a_new_share", "noise", "code of measures"):
        monkeypatch.setattr(runner, "definitions", lambda name=name: definitions() | {name: "another"})
        for added in ([], ["shuffled_text"]):
            with pytest.raises(RunError, match=rf"definition of what it counts \({name}\): take a new folder"):
                run_study(corpus, with_baselines([tiny], added), out, small)
            assert digests(out) == before


def test_a_worker_with_another_program_is_refused(tiny: ModelSpec, small: StudySettings) -> None:
    with pytest.raises(InputError, match="another version of this program"):
        count_shard(Job(None, RunModel(tiny, None, None, "0" * 64), small))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("texts/003.txt", ".", "!", "its texts have changed"),
        ("model/config.json", "gelu", "relu", "has counts of another .* choose a new folder"),
        pytest.param(
            "model/tokenizer.json", 'case": true', 'case": false', "counts of another", marks=pytest.mark.long
        ),
        pytest.param("model", "", "", "has counts of another ", marks=pytest.mark.long),
    ],
)
def test_what_has_changed_is_refused_in_a_sentence(
    name: str, old: str, new: str, says: str, tmp_path: Path, tiny: ModelSpec, small: StudySettings
) -> None:
    """No shard of one model or text beside those of another."""
    corpus, out, changed = Corpus(str(write_corpus(tmp_path / "texts"))), tmp_path / "study", tmp_path / name
    model = ModelSpec(str(shutil.copytree(tiny.name, tmp_path / "model")))
    with pytest.raises(RunCancelled):
        run_study(corpus, model, out, small, Workers(progress=stopped_after(1)))
    if old:
        kept = changed.read_text()
        changed.write_text(kept.replace(old, new))
        assert changed.read_text() != kept
    else:
        shutil.rmtree(changed)
        save_tiny(changed, SERVED["bert"], seed=1)
    with pytest.raises(RunError, match=says):
        run_study(corpus, model, out, small)
    assert read_progress(out).status == "failed"
    if old:
        changed.write_text(kept)
        assert run_study(corpus, model, out, small).provenance["program_version"] == __version__
