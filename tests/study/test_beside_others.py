"""Every text of a study is held against others of its corpus: which ones, and what comes of it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from attn_core.analysis.measured_windows import measured
from attn_core.analysis.reading import read
from attn_core.analysis.unrelated import read_unrelated
from attn_core.measures.window_counts import heads_of
from attn_core.models.files import ModelSpec
from attn_core.models.records import LoadedModel
from attn_core.runs import folder as files
from attn_core.runs.job import Piece, RunModel, Shard
from attn_core.runs.model import describe
from attn_core.similarity.strong_pairs import Settings
from attn_core.study import other_texts
from attn_core.study.corpus import Corpus, Text
from attn_core.study.other_texts import BLOCK, Mixed, Pairing, in_a_circle, unrelated_passage
from attn_core.study.runner import run_study
from attn_core.study.settings import Job, StudySettings
from attn_core.study.worker import count_shard
from attn_core.texts.documents import read_document
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


def test_neighbours_of_a_corpus_are_mixed_and_the_texts_of_a_group_keep_together() -> None:
    texts = [text(number, number // 3) for number in range(300)]
    mixed = [list(Mixed(Texts(*texts), seed).texts()) for seed in (0, 0, 1)]
    assert mixed[0] == mixed[1] != mixed[2]
    assert sorted(one.number for one in mixed[0]) == list(range(300))
    for at in range(0, 300, 3):
        assert [one.number for one in mixed[0][at : at + 3]] == [3 * mixed[0][at].group + step for step in range(3)]
    steps = [abs(one.group - other.group) for one, other in pairwise(mixed[0][::3])]
    assert np.mean(steps) > 20, "a third of so many groups is expected"
    beside = Pairing(Mixed(Texts(*texts), 0), 0).of(pieces(*mixed[0]))
    assert all(
        one.group not in {other.group for other in tried} != set() for one, tried in zip(mixed[0], beside, strict=True)
    )


def test_long_texts_are_mixed_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_texts, "MOST_CHARACTERS", 100)
    texts = [replace(text(number, number, "x" * 30), done=number / 10) for number in range(10)]
    whole = Texts(*texts)
    read = iter(texts)
    monkeypatch.setattr(whole, "texts", lambda: read)
    mixed = Mixed(whole, 0).texts()
    first = next(mixed)
    assert next(read).number == 4, "four are in memory, the fifth is not read yet"
    rest = [first, *mixed]
    assert sorted(one.number for one in rest) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert [one.done for one in rest] == sorted(one.done for one in rest)


def test_texts_that_cannot_be_counted_are_held_against_none_and_change_no_other() -> None:
    good, bad = [text(number, number) for number in range(8)], [text(8, 8, " "), replace(text(9, 9), text=None)]
    assert Pairing(Texts(*good), 0).of(pieces(*good)) == Pairing(Texts(*good, *bad), 0).of(pieces(*good))
    assert Pairing(Texts(*bad), 0).of(pieces(*bad)) == ((), ())


@pytest.mark.parametrize("characters", [128_000, 200], ids=["one shard", "two a shard"])
def test_a_study_holds_every_text_against_one_of_another_group(
    characters: int, tmp_path: Path, tiny: ModelSpec, tiny_model: Callable[[str], LoadedModel]
) -> None:
    """Which one: where the shard has others, the next of them in a circle, and where it has not, the next in the corpus."""
    texts = [" ".join(SENTENCES[at : at + 4]) for at in range(6)]
    model, settings = tiny_model("bert"), StudySettings(Settings(share=0.1), draws=20, shard_characters=characters)
    (tmp_path / "texts").mkdir()
    for number, content in enumerate(texts):
        (tmp_path / "texts" / f"{number}.txt").write_text(content, encoding="utf-8")
    corpus = Corpus(str(tmp_path / "texts"))
    study = run_study(corpus, tiny, tmp_path / "study", settings)
    assert len(files.shard_paths(study.folder)) == (4 if characters == 200 else 1)
    named = pieces(*corpus.texts())
    circle = in_a_circle(named, settings.seed)
    assert Pairing(corpus, settings.seed).of(named) == tuple(circle[one.group] for one in named)
    windows = []
    for one in named:
        other = unrelated_passage(model, circle[one.group], "auto", "plain", settings.min_tokens)
        assert other and other.document.text != one.text
        own = read(model, read_document(one.text or ""))
        windows += [
            measured(passage, output, settings.analysis, [read_unrelated(model, other, "tokens")])
            for passage, output in zip(own.passages, own.outputs, strict=True)
        ]
    for name in ("noise_rate", "noise_rate_words", "cosine_noise_rate", "length_share", "snr_db"):
        np.testing.assert_allclose(study.heads[name], heads_of(windows)[name], rtol=0.02, atol=1e-6)


def test_a_text_that_cannot_be_read_takes_no_other_from_its_group(tiny: ModelSpec, small: StudySettings) -> None:
    good, other = (Piece(at, f"{at}", 0, " ".join(SENTENCES[at : at + 4]), None, at) for at in (0, 5))
    bad = Piece(1, "1", 0, None, "undecodable", 0)
    model = RunModel(tiny, describe(tiny, 1), 1)
    alone, beside_it = (
        count_shard(Job(Shard(0, (good, *more), 1.0), model, small, ((other,), *(() for _ in more))))
        for more in ((), (bad,))
    )
    (name,) = (file for file in alone.files if file.endswith("windows.parquet"))
    assert alone.files[name] == beside_it.files[name]


def test_the_noise_of_a_corpus_is_the_same_in_small_batches(
    tmp_path: Path, tiny: ModelSpec, small: StudySettings
) -> None:
    corpus = Corpus(str(write_corpus(tmp_path / "texts", texts=8)))
    one, other = (
        run_study(corpus, tiny, tmp_path / f"study{tokens}", replace(small, batch_tokens=tokens))
        for tokens in (60, 2000)
    )
    np.testing.assert_allclose(one.heads["noise_rate"], other.heads["noise_rate"], rtol=0.02)
