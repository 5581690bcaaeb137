"""Every window of a study is held against a window of another text: which one, and what comes of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attn_core.analysis.measured_windows import measured
from attn_core.analysis.reading import read
from attn_core.analysis.unrelated import TEXTS, Unrelated, samples_beside
from attn_core.measures.window_counts import heads_of
from attn_core.models.batches import batches
from attn_core.models.files import ModelSpec
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.texts.documents import read_document, samples
from tests.study.made_up import SENTENCES, write_corpus


def test_a_window_of_another_text_comes_second_so_that_hardly_one_waits() -> None:
    lengths, texts = [9, 8, 7, 3, 2], [0, 0, 0, 1, 1]
    assert list(batches(lengths, 18, texts)) == [[0, 3], [1, 2], [4]]
    assert list(batches(lengths, 18, [0] * 5)) == list(batches(lengths, 18)) == [[0, 1], [2, 3], [4]]


def test_every_window_takes_the_last_of_another_text_that_was_read_before_it(
    tmp_path: Path, tiny: ModelSpec, tiny_model: Callable[[str], LoadedModel]
) -> None:
    texts = [" ".join(SENTENCES[at : at + 6]) for at in (0, 2, 3)]
    model, settings = tiny_model("bert"), StudySettings(Settings(share=0.1), draws=20)
    (tmp_path / "texts").mkdir()
    for number, text in enumerate(texts):
        (tmp_path / "texts" / f"{number}.txt").write_text(text, encoding="utf-8")
    study = run_study(Corpus(str(tmp_path / "texts")), tiny, tmp_path / "study", settings)
    readings = [read(model, read_document(text)) for text in texts]
    parts = [(text, *part) for text, one in enumerate(readings) for part in zip(one.passages, one.outputs, strict=True)]
    parts.sort(key=lambda one: -len(one[1]))
    second = next(at for at, one in enumerate(parts) if one[0] != parts[0][0])
    parts.insert(1, parts.pop(second))
    windows = []
    for at, (text, passage, output) in enumerate(parts):
        before = [one for one in parts[:at] if one[0] != text] or [one for one in parts if one[0] != text][:1]
        other = Unrelated(before[-1][1], before[-1][2].z)
        windows.append(measured(passage, output, settings.analysis, [other]))
    expected = heads_of(windows)
    for name in ("noise_rate", "noise_rate_words", "cosine_noise_rate", "length_share", "direction_share", "snr_db"):
        np.testing.assert_allclose(study.heads[name], expected[name], rtol=0.02, atol=1e-6)
    beside_sample = heads_of(
        measured(passage, output, settings.analysis, readings[0].unrelated) for _, passage, output in parts
    )
    assert not np.allclose(study.heads["noise_rate"], beside_sample["noise_rate"], rtol=0.02)


def test_the_noise_of_a_corpus_is_the_same_in_small_batches(
    tmp_path: Path, tiny: ModelSpec, small: StudySettings
) -> None:
    corpus = Corpus(str(write_corpus(tmp_path / "texts", texts=8)))
    one, other = (
        run_study(corpus, tiny, tmp_path / f"study{tokens}", replace(small, batch_tokens=tokens))
        for tokens in (60, 2000)
    )
    np.testing.assert_allclose(one.heads["noise_rate"], other.heads["noise_rate"], rtol=0.02)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.file)
def test_a_text_is_never_held_against_itself(sample) -> None:
    beside = samples_beside(read_document(sample.text, sample.language))
    assert len({one.file for one in beside} - {sample.file}) == TEXTS
