"""Scores over folders of gold texts built from the sample texts."""

import shutil
from pathlib import Path

import pytest

from attn_core.errors import TextError
from attn_core.segmentation import by_name, score
from attn_core.segmentation.gold_texts import NO_CUT, gold_texts, score_collections
from attn_core.texts.documents import SAMPLES_FOLDER
from tests.families import Tiny


def test_collections_stay_apart(tiny_model: Tiny, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("first", "second", "other/second")]
    for folder, sample in zip(folders, ("three_topics", "six_topics", "three_topics"), strict=True):
        folder.mkdir(parents=True)
        shutil.copy(SAMPLES_FOLDER / f"{sample}.txt", folder)
    methods = tuple(map(by_name, ("partition", "even_cuts")))
    seen: list[tuple[int, int]] = []
    paths = [*folders, folders[0] / "three_topics.txt"]
    results = score_collections(paths, tiny_model("bert"), methods, progress=lambda *done: seen.append(done))
    names = ["first", str(folders[1]), str(folders[2]), "three_topics.txt"]
    assert list(dict.fromkeys(results["collection"])) == names
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert set(results["method"]) == {"partition", "even_cuts", NO_CUT}
    uncut = results[results["method"] == NO_CUT]
    documents = [document for path in paths for document in gold_texts(path).values()]
    assert uncut["pk"].tolist() == [score(one.gold, (), len(one.sentences)).pk for one in documents]
    assert (uncut["segments"] == 1).all() and not uncut["number_given"].any()


def test_what_has_no_gold_is_refused(tiny_model: Tiny, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain.txt").write_text("No gold here.", encoding="utf-8")
    for path in (tmp_path / "empty", tmp_path / "plain.txt"):
        with pytest.raises(TextError, match="gold"):
            score_collections([path], tiny_model("bert"))
