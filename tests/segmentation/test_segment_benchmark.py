"""The benchmark over a folder of gold texts built from the sample texts."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from attn_core.errors import TextError
from attn_core.loaded_model import LoadedModel
from attn_core.segment_benchmark import bootstrap_interval, render, render_by_group, run, summarise
from attn_core.segmentation import METHODS
from attn_core.texts import SAMPLES_FOLDER


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gold")
    for name in ("three_topics", "six_topics"):
        shutil.copy(SAMPLES_FOLDER / f"{name}.txt", folder / f"{name}.txt")
    (folder / "plain_0.txt").write_text("No gold here. It is left out.", encoding="utf-8")
    return folder


def test_every_method_is_scored_with_and_without_the_number(minilm: LoadedModel, folder: Path) -> None:
    results = run(folder, minilm, heads="text")
    assert len(results) == 2 * len(METHODS) * 2
    assert set(results["group"]) == {"three", "six"}
    given = results[results["number_given"]]
    assert (given["segments"] == given["gold_segments"]).all()
    summary = summarise(results, draws=100).set_index(["method", "number_given"])
    assert (summary["pk_low"] <= summary["pk"]).all() and (summary["pk"] <= summary["pk_high"]).all()
    assert summary.loc[("partition_alone", True), "pk"] < summary.loc[("random_cuts", True), "pk"] / 2
    text = render(results)
    assert text.count("\n| ") == 2 * len(METHODS)
    assert "2 texts" in text and "window" in text
    assert "three" in render_by_group(results) and render(results, "six").count("1 texts")


def test_a_folder_without_gold_is_refused(minilm: LoadedModel, tmp_path: Path) -> None:
    with pytest.raises(TextError, match="gold"):
        run(tmp_path, minilm)


def test_bootstrap_interval_holds_the_mean() -> None:
    values = np.random.default_rng(0).normal(0.3, 0.1, size=50)
    low, high = bootstrap_interval(values)
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(50), rel=0.15)
