"""Every text of a study is held against others of its corpus: which ones, and what comes of it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attn_core.analysis.measured_windows import measured
from attn_core.analysis.reading import read
from attn_core.analysis.unrelated import TEXTS, samples_beside
from attn_core.measures.window_counts import heads_of
from attn_core.models.files import ModelSpec
from attn_core.models.records import LoadedModel
from attn_core.runs.job import Piece
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus, Text
from attn_core.study.other_texts import OTHERS, POOL, drawn_pool, others_of, unrelated_texts
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.texts.documents import read_document, samples
from tests.study.made_up import SENTENCES, write_corpus


def text(number: int, group: int, words: str = "") -> Text:
    return Text(number, f"{number}.txt", words or f"The tide {number} rose.", None, 1.0, group)


class Texts:
    """Texts as a corpus gives them."""

    def __init__(self, *texts: Text) -> None:
        self._texts = texts

    def texts(self) -> Iterator[Text]:
        return iter(self._texts)


def test_a_pool_has_one_text_of_a_group_and_is_drawn_anew_by_another_seed() -> None:
    corpus = Texts(*(text(number, number // 5) for number in range(10 * POOL)))
    pools = [drawn_pool(corpus, seed) for seed in (0, 0, 1)]
    assert pools[0] == pools[1] != pools[2]
    for pool in pools:
        assert len({piece.group for piece in pool}) == len(pool) == POOL
    assert len({piece.number % 5 for piece in pools[0]}) == 5, "any text of a group"
    assert np.mean([piece.group for piece in pools[0]]) > POOL / 2, "any group, not the first ones"


def test_a_text_is_held_against_texts_of_other_groups_in_an_order_of_its_own() -> None:
    pool = drawn_pool(Texts(*(text(number, number // 2) for number in range(40))), 0)
    orders = [others_of(Piece(number, "", 0, "", None, number // 2), pool, 0) for number in range(4)]
    for number, order in enumerate(orders):
        assert {piece.group for piece in order} == set(range(20)) - {number // 2}
    assert orders[0] != orders[1]


def test_empty_texts_are_held_against_none() -> None:
    assert drawn_pool(Texts(text(0, 0, " "), replace(text(1, 1), text=None)), 0) == ()


def test_a_study_holds_every_text_against_four_others(
    tmp_path: Path, tiny: ModelSpec, tiny_model: Callable[[str], LoadedModel]
) -> None:
    texts = [" ".join(SENTENCES[at : at + 4]) for at in range(6)]
    model, settings = tiny_model("bert"), StudySettings(Settings(share=0.1), draws=20)
    (tmp_path / "texts").mkdir()
    for number, one in enumerate(texts):
        (tmp_path / "texts" / f"{number}.txt").write_text(one, encoding="utf-8")
    corpus = Corpus(str(tmp_path / "texts"))
    study = run_study(corpus, tiny, tmp_path / "study", settings)
    pool, windows = drawn_pool(corpus, settings.seed), []
    for number, one in enumerate(texts):
        piece = Piece(number, "", 0, one, None)
        beside = unrelated_texts(model, piece, pool, settings)
        assert len(beside) == OTHERS
        assert one not in [other.passage.document.text for other in beside]
        own = read(model, read_document(one))
        windows += [
            measured(passage, output, settings.analysis, beside)
            for passage, output in zip(own.passages, own.outputs, strict=True)
        ]
    expected = heads_of(windows)
    for name in ("noise_rate", "noise_rate_words", "cosine_noise_rate", "length_share", "direction_share", "snr_db"):
        np.testing.assert_allclose(study.heads[name], expected[name], rtol=0.02, atol=1e-6)


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
