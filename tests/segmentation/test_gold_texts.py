"""Scores over folders of gold texts built from the sample texts."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from attn_core.errors import TextError
from attn_core.models.records import LoadedModel
from attn_core.segmentation import METHODS, by_name, score
from attn_core.segmentation.gold_texts import NO_CUT, gold_texts, score_collections
from attn_core.segmentation.scores import render
from attn_core.texts.documents import SAMPLES_FOLDER


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gold")
    shutil.copy(SAMPLES_FOLDER / "three_topics.txt", folder)
    (folder / "plain_0.txt").write_text("No gold here. It is left out.", encoding="utf-8")
    return folder


@pytest.mark.long
def test_every_method_is_scored_with_and_without_the_number(minilm: LoadedModel, folder: Path) -> None:
    results = score_collections([folder], minilm)
    assert len(results) == 2 * len(METHODS) + 1
    assert set(results["text"]) == {"three_topics.txt"}
    given = results[results["number_given"]]
    assert (given["segments"] == given["gold_segments"]).all()
    pk = results.set_index(["method", "number_given"])["pk"]
    assert pk["partition_heads", False] < pk["even_cuts", False] / 2
    assert render(results).count("\n| ") == 2 * len(METHODS) + 1  # and no cut at all


def test_what_has_no_gold_is_refused(minilm: LoadedModel, tmp_path: Path, folder: Path) -> None:
    for path in (tmp_path, folder / "plain_0.txt"):
        with pytest.raises(TextError, match="gold"):
            score_collections([path], minilm)


def test_collections_stay_apart(tiny_model: Callable[[str], LoadedModel], tmp_path: Path) -> None:
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
