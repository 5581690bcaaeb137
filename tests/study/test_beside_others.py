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
from attn_core.study.other_texts import BLOCK, Pairing, in_a_circle, unrelated_text
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


def pieces(*texts: Text) -> list[Piece]:
    return [Piece(one.number, one.name, 0, one.text, None, one.group) for one in texts]


def test_each_group_is_held_against_another_and_serves_once() -> None:
    block = pieces(*(text(number, number // 5) for number in range(100)))
    circles = [in_a_circle(block, seed) for seed in (0, 0, 1)]
    assert circles[0] == circles[1] != circles[2]
    first = {group: tried[0] for group, tried in circles[0].items()}
    assert sorted(first) == sorted(one.group for one in first.values()) == list(range(20))
    assert all(group not in {one.group for one in tried} for group, tried in circles[0].items())
    assert len({one.number % 5 for one in first.values()}) > 1, "any text of a group"
    assert {abs(group - one.group) for group, one in first.items()} != {1}, "not the neighbour"
    assert in_a_circle(pieces(text(0, 0), text(1, 0)), 0) == {0: ()}, "one group has no other"


def test_a_corpus_is_read_ahead_block_by_block_and_no_text_is_left_alone() -> None:
    texts = [text(number, number) for number in range(2 * BLOCK + 1)]
    beside = Pairing(Texts(*texts), 0)
    found = [tried[0].number for one in pieces(*texts) for tried in beside.of([one])]
    assert sorted(found) == list(range(2 * BLOCK + 1)), "each serves once"
    assert max(found[:BLOCK]) < BLOCK <= min(found[BLOCK:]), "the last block takes the text that is left"


def test_texts_that_cannot_be_counted_are_held_against_none_and_change_no_other() -> None:
    good, bad = [text(number, number) for number in range(8)], [text(8, 8, " "), replace(text(9, 9), text=None)]
    assert Pairing(Texts(*good), 0).of(pieces(*good)) == Pairing(Texts(*good, *bad), 0).of(pieces(*good))
    assert Pairing(Texts(*bad), 0).of(pieces(*bad)) == ((), ())


def test_a_study_holds_every_text_against_one_of_another_group(
    tmp_path: Path, tiny: ModelSpec, tiny_model: Callable[[str], LoadedModel]
) -> None:
    texts = [" ".join(SENTENCES[at : at + 4]) for at in range(6)]
    model, settings = tiny_model("bert"), StudySettings(Settings(share=0.1), draws=20)
    (tmp_path / "texts").mkdir()
    for number, one in enumerate(texts):
        (tmp_path / "texts" / f"{number}.txt").write_text(one, encoding="utf-8")
    corpus = Corpus(str(tmp_path / "texts"))
    study = run_study(corpus, tiny, tmp_path / "study", settings)
    named = pieces(*corpus.texts())
    windows = []
    for one, tried in zip(texts, Pairing(corpus, settings.seed).of(named), strict=True):
        other = unrelated_text(model, tried, settings)
        assert other is not None and other.passage.document.text != one
        own = read(model, read_document(one))
        windows += [
            measured(passage, output, settings.analysis, [other])
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
