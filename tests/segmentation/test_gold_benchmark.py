"""The benchmark over a folder of gold texts built from the sample texts."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from attn_core.errors import TextError
from attn_core.models.records import LoadedModel
from attn_core.segmentation import METHODS, by_name, gold_benchmark, score
from attn_core.segmentation.gold_benchmark import NO_CUT, gold_texts, run
from attn_core.segmentation.scores import render, render_side_by_side, summarise
from attn_core.texts.documents import SAMPLES_FOLDER
from tests.processes import warm
from tests.quick import quick_only


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gold")
    shutil.copy(SAMPLES_FOLDER / "three_topics.txt", folder)
    (folder / "plain_0.txt").write_text("No gold here. It is left out.", encoding="utf-8")
    return folder


@pytest.mark.long
def test_every_method_is_scored_with_and_without_the_number(minilm: LoadedModel, folder: Path) -> None:
    results = run([folder], minilm)
    assert len(results) == 2 * len(METHODS) + 1
    assert set(results["text"]) == {"three_topics.txt"}
    assert (results["seconds"] > 0).eq(results["method"] != NO_CUT).all()
    given = results[results["number_given"]]
    assert (given["segments"] == given["gold_segments"]).all()
    summary = summarise(results).set_index(["method", "number_given"])
    assert summary[["pk_low", "pk_high"]].isna().all(axis=None)  # one text is too few for an interval
    assert summary.loc[("partition_alone", True), "pk"] < summary.loc[("random_cuts", True), "pk"] / 2
    text = render(results)
    assert text.count("\n| ") == 1 + 2 * len(METHODS) + 1  # the names of the columns, and no cut at all
    assert "1 texts" in text and "window" in text


def test_a_folder_without_gold_is_refused(minilm: LoadedModel, tmp_path: Path) -> None:
    with pytest.raises(TextError, match="gold"):
        run([tmp_path], minilm)


@pytest.mark.parametrize("workers", quick_only([1, 2], 1))
def test_collections_stay_apart_and_workers_change_nothing(
    workers: int, tiny_model: Callable[[str], LoadedModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = warm()
    monkeypatch.setattr(gold_benchmark.multiprocessing, "get_context", lambda _: processes)
    folders = [tmp_path / name for name in ("first", "second", "other/second")]
    for folder, sample in zip(folders, ("three_topics", "six_topics", "three_topics"), strict=True):
        folder.mkdir(parents=True)
        shutil.copy(SAMPLES_FOLDER / f"{sample}.txt", folder)
    methods = tuple(map(by_name, ("partition_joined", "even_cuts")))
    seen: list[tuple[int, int]] = []
    alone = run(folders, tiny_model("bert"), methods=methods, progress=lambda *done: seen.append(done))
    assert list(dict.fromkeys(alone["collection"])) == ["first", str(folders[1]), str(folders[2])]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert set(alone["method"]) == {"partition_joined", "even_cuts", NO_CUT}
    pooled = run(folders, tiny_model("bert"), methods=methods, workers=workers)
    pd.testing.assert_frame_equal(pooled.drop(columns="seconds"), alone.drop(columns="seconds"))
    uncut = alone[alone["method"] == NO_CUT]
    documents = [document for folder in folders for document in gold_texts(folder).values()]
    assert uncut["pk"].tolist() == [score(one.gold, (), len(one.sentences)).pk for one in documents]
    assert (uncut["segments"] == 1).all() and not uncut["number_given"].any()
    assert all(f"| {group} |" in render_side_by_side(alone, "group").splitlines()[0] for group in ("six", "three"))
    header = render_side_by_side(alone).splitlines()[0]
    assert all(name in header for name in ("first", str(folders[1]), str(folders[2])))
