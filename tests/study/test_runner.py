"""Nothing is lost and nothing is mixed up: refusals, locks, full disks, cancelled studies."""

from dataclasses import replace
from pathlib import Path

import pytest

from attn_core.errors import RunCancelled, RunError
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.progress import read_progress
from attn_core.runs.run import Workers
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from tests.families import SERVED, save_tiny
from tests.study.made_up import stopped_after


@pytest.mark.parametrize("change", ["setting", "corpus", "model", "software"])
def test_what_has_changed_is_refused_in_a_sentence(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings, change: str
) -> None:
    corpus, out = Corpus(str(corpus_folder)), tmp_path / "study"
    with pytest.raises(RunCancelled):
        run_study(corpus, tiny, out, small, Workers(progress=stopped_after(1)))
    says = {"setting": "measure = dot, now cosine", "corpus": "its texts have changed", "model": "revision = ",
            "software": "torch = 1.0, now"}[change]  # fmt: skip
    if change == "setting":
        small = replace(small, analysis=Settings("cosine"))
    elif change == "corpus":
        (corpus_folder / "003.txt").write_text("Another text altogether.")
    elif change == "model":
        tiny = ModelSpec(str(save_tiny(tmp_path / "other", SERVED["bert"], seed=1)))
        says = "name = "
    else:
        manifest = files.read_json(out / files.MANIFEST)
        manifest["software"]["torch"] = "1.0"
        files.write_file(out / files.MANIFEST, files.to_json(manifest))
    with pytest.raises(RunError, match=says):
        run_study(corpus, tiny, out, small)
    assert read_progress(out).status == "failed"


def test_a_corpus_without_any_text_is_said(tmp_path: Path, tiny: ModelSpec, small: StudySettings) -> None:
    (tmp_path / "a.jsonl").write_text("\n\n")
    with pytest.raises(RunError, match="There is no text at"):
        run_study(Corpus(str(tmp_path / "a.jsonl")), tiny, tmp_path / "study", small)
