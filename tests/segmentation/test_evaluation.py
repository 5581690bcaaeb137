"""Scores by hand, and over folders of gold texts built from the sample texts."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_core.errors import TextError
from attn_core.segmentation import score
from attn_core.segmentation.evaluation import NO_CUT, boundary_f1, gold_texts, score_collections, window_size
from attn_core.texts.documents import SAMPLES_FOLDER
from tests.families import Tiny


@given(st.sets(st.integers(1, 29), max_size=8), st.sets(st.integers(1, 29), max_size=8))
def test_scores_lie_between_0_and_1_and_gold_is_perfect(gold: set[int], predicted: set[int]) -> None:
    reference, hypothesis = tuple(sorted(gold)), tuple(sorted(predicted))
    scores = score(reference, hypothesis, 30)
    assert all(0 <= value <= 1 for value in scores)
    assert scores.pk <= scores.windowdiff
    assert score(reference, reference, 30) == (0, 0, 1)


def segments(boundaries: set[int], sentences: int) -> list[int]:
    """The segment of each sentence."""
    return [sum(boundary <= sentence for boundary in boundaries) for sentence in range(sentences)]


@given(st.integers(2, 40), st.data())
def test_scores_by_their_definition(sentences: int, data: st.DataObject) -> None:
    """Of two sentences k apart: are both in one segment (Pk), and how many boundaries lie between (WindowDiff)?"""
    gold, found = (data.draw(st.sets(st.integers(1, sentences - 1), max_size=6)) for _ in range(2))
    scores, k = score(tuple(gold), tuple(found), sentences), window_size(tuple(gold), sentences)
    first, second = segments(gold, sentences), segments(found, sentences)
    between = [(first[i + k] - first[i], second[i + k] - second[i]) for i in range(sentences - k)]
    if between:
        assert scores.pk == pytest.approx(sum((a > 0) != (b > 0) for a, b in between) / len(between))
        assert scores.windowdiff == pytest.approx(sum(a != b for a, b in between) / len(between))
    else:
        assert scores.pk == scores.windowdiff == (gold != found)


def test_scores_by_hand() -> None:
    """10 sentences, gold 5, found 6, window round(10 / 2 / 2) = 2: 2 of 8 pairs of sentences 2 apart differ."""
    scores = score((5,), (6,), 10)
    assert window_size((5,), 10) == 2 and window_size((20, 40), 60) == 10
    assert scores.pk == scores.windowdiff == 2 / 8
    assert scores.f1 == 0
    assert boundary_f1((3, 5), (5, 8)) == 0.5


def test_collections_stay_apart(tiny_model: Tiny, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("first", "second", "other/second")]
    for folder, sample in zip(folders, ("three_topics", "six_topics", "three_topics"), strict=True):
        folder.mkdir(parents=True)
        shutil.copy(SAMPLES_FOLDER / f"{sample}.txt", folder)
    seen: list[tuple[int, int]] = []
    paths = [*folders, folders[0] / "three_topics.txt"]
    results = score_collections(paths, tiny_model("bert"), ["even_cuts"], progress=lambda *done: seen.append(done))
    assert list(results["collection"].unique()) == ["first", str(folders[1]), str(folders[2]), "three_topics.txt"]
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert set(results["method"]) == {"even_cuts", NO_CUT}
    uncut = results[results["method"] == NO_CUT]
    documents = [document for path in paths for document, _ in gold_texts(path).values()]
    assert uncut["pk"].tolist() == [score(one.gold, (), len(one.sentences)).pk for one in documents if one.gold]
    assert (uncut["segments"] == 1).all() and not uncut["number_given"].any()


def test_what_has_no_gold_is_refused(tiny_model: Tiny, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("No gold here.", encoding="utf-8")
    for path in (tmp_path, tmp_path / "plain.txt"):
        with pytest.raises(TextError, match="gold"):
            score_collections([path], tiny_model("bert"))
