"""What intervals of few texts cover, by corpora drawn from a study."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from attn_core.benchmark.coverage import covered_in
from attn_core.findings.bars import BARS
from attn_core.models.files import ModelSpec
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from tests.study.made_up import write_corpus


def test_most_corpora_of_a_study_s_texts_hold_its_value_and_too_few_texts_hold_none(
    tiny_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    corpus, spec = Corpus(str(write_corpus(tmp_path / "texts", texts=8))), ModelSpec(str(tiny_folder("bert")))
    study = run_study(corpus, spec, tmp_path / "study", StudySettings(Settings(share=0.05), draws=1))
    told = covered_in(study.folder, study.shape, sizes=(3, 12), corpora=40).set_index("effect")
    assert set(told.index) == {bars.effect for bars in BARS}
    assert (told["3 texts"] == 0).all()  # which have no interval
    assert np.median(told["12 texts"]) > 0.85 and (told["12 texts"] <= 1).all()
