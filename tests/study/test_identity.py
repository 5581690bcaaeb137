"""A study knows which program counted it: a half-done one goes on under the same counting code only."""

import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from attn_core import __version__
from attn_core.analysis.one_text import analyze
from attn_core.errors import InputError, RunError
from attn_core.io.paths import called
from attn_core.models.files import ModelSpec
from attn_core.runs.job import RunModel
from attn_core.similarity.words import UNITS, Unit
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import Job, StudySettings
from attn_core.study.subjects import with_baselines
from attn_core.study.worker import count_shard
from tests.families import TEXT, Tiny
from tests.study.made_up import write_corpus


def test_a_study_of_other_windows_is_another_one(tmp_path: Path, tiny: ModelSpec, small: StudySettings) -> None:
    corpus, out = Corpus(str(write_corpus(tmp_path / "texts"))), tmp_path / "study"
    short = replace(tiny, window_tokens=32)
    study = run_study(corpus, [*with_baselines([short]), *with_baselines([tiny])], out, small)
    first, second = (study.of(subject.name).provenance for subject in study.subjects)
    assert first["window_tokens"] == 32 and first["subject"] == f"{called(tiny.name)}+window:32"
    assert first["windows"] > second["windows"]
    assert [subject.spec for subject in study.subjects] == [short, tiny]


def test_a_worker_with_another_program_is_refused(tiny: ModelSpec, small: StudySettings) -> None:
    with pytest.raises(InputError, match="another version of this program"):
        count_shard(Job(None, RunModel(tiny, None, None, "0" * 64), small))  # type: ignore[arg-type]


def test_a_study_of_another_config_or_tokenizer_is_another_study(
    tmp_path: Path, tiny: ModelSpec, small: StudySettings
) -> None:
    """Under the same weights: no shard of one model beside those of another."""
    corpus, out = Corpus(str(write_corpus(tmp_path / "texts"))), tmp_path / "study"
    model = ModelSpec(str(shutil.copytree(tiny.name, tmp_path / "model")))
    run_study(corpus, model, out, small)
    study = Study.open(out)
    (record,) = study.records
    assert record.model and len(record.model.tokenizer) == 64
    assert study.manifest["program"]["version"] == __version__ == study.provenance["program_version"]
    shutil.rmtree(out / "tables")
    shutil.rmtree(study.of().folder / "shards" / "000000")
    for name, old, new in (
        ("config.json", "gelu", "relu"),
        ("tokenizer.json", '"lowercase": true', '"lowercase": false'),
    ):
        kept = (path := Path(model.name) / name).read_text()
        path.write_text(kept.replace(old, new))
        assert path.read_text() != kept
        with pytest.raises(RunError, match="has counts of another .* choose a new folder"):
            run_study(corpus, model, out, small)
        path.write_text(kept)
    assert run_study(corpus, model, out, small).records == [record]


@pytest.mark.parametrize("unit", UNITS)
def test_the_same_windows_give_the_same_bits_as_one_text_and_as_a_study(
    unit: Unit, tmp_path: Path, tiny: ModelSpec, tiny_model: Tiny
) -> None:
    text = f"{TEXT} {TEXT[40:]} {TEXT[:200]} {TEXT[20:]}"
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "only.txt").write_text(text, encoding="utf-8")
    # A batch of one window is read as a text is.
    one_by_one = StudySettings(unit=unit, batch_tokens=1)
    study = run_study(Corpus(str(tmp_path / "texts")), tiny, tmp_path / "study", one_by_one).of()
    analysis = analyze(text, tiny_model("bert"), unit=unit)
    assert len(analysis.windows) > 2
    for name in ("heads", "layers", "distances", "distance_bins", "kinds", "anchors"):
        ours = getattr(analysis, name)
        pd.testing.assert_frame_equal(study.table(name)[list(ours)], ours, check_exact=True, check_dtype=False)
