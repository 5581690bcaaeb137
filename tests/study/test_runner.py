"""Nothing is lost and nothing is mixed up: refusals, locks, full disks, cancelled studies."""

from pathlib import Path

import pytest

from attn_core.errors import RunCancelled, RunError
from attn_core.models.files import ModelSpec
from attn_core.runs.progress import read_progress
from attn_core.runs.run import Workers
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from tests.families import SERVED, save_tiny
from tests.study.made_up import stopped_after


@pytest.mark.parametrize(("change", "says"), [("corpus", "its texts have changed"), ("model", "name = ")])
def test_what_has_changed_is_refused_in_a_sentence(
    tmp_path: Path, tiny: ModelSpec, corpus_folder: Path, small: StudySettings, change: str, says: str
) -> None:
    corpus, out = Corpus(str(corpus_folder)), tmp_path / "study"
    with pytest.raises(RunCancelled):
        run_study(corpus, tiny, out, small, Workers(progress=stopped_after(1)))
    if change == "corpus":
        (corpus_folder / "003.txt").write_text("Another text altogether.")
    else:
        tiny = ModelSpec(str(save_tiny(tmp_path / "other", SERVED["bert"], seed=1)))
    with pytest.raises(RunError, match=says):
        run_study(corpus, tiny, out, small)
    assert read_progress(out).status == "failed"


def test_a_corpus_without_any_text_is_said(tmp_path: Path, tiny: ModelSpec, small: StudySettings) -> None:
    (tmp_path / "a.jsonl").write_text("\n\n")
    with pytest.raises(RunError, match="There is no text at"):
        run_study(Corpus(str(tmp_path / "a.jsonl")), tiny, tmp_path / "study", small)
