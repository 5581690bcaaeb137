"""`patterns` as a user gives it: tables, resuming, and what bad input gets."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from attn_core.__main__ import main
from attn_core.patterns.opened import open_patterns
from attn_core.study.folder import shard_paths
from tests.patterns.made_up import GAP, WORDS, gap_row

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("annotated")
    (folder / "made-up.conllu").write_text(WORDS, encoding="utf-8")
    rows = [GAP, *(gap_row(f"snippet {number}", number % 3 > 0) for number in range(8))]
    (folder / "gap.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return [str(folder / "made-up.conllu"), str(folder / "gap.tsv")]


@pytest.fixture(scope="module")
def scored(given: list[str], tiny_folder, tmp_path_factory: pytest.TempPathFactory) -> Path:  # type: ignore[no-untyped-def]
    out = tmp_path_factory.mktemp("patterns") / "out"
    assert main(["patterns", *given, "--out", str(out), "--model", str(tiny_folder("bert"))]) == 0
    return out


def test_every_relation_has_a_row_for_every_map_and_head(scored: Path) -> None:
    scores = open_patterns(scored)
    heads = scores.table("heads")
    layers, per_layer = scores.shape
    assert (heads.groupby(["relation", "map"]).size() == layers * per_layer).all()
    assert heads["score"].between(0, 1).all() and (heads["chance_score"] == 0.5).all()
    assert (heads["p_adjusted"] >= heads["p"]).all()
    coreference = scores.table("relations").set_index(["relation", "map"]).loc[("coreference", "centred")]
    assert coreference["pairs"] == 2
    assert pd.isna(coreference["score"])  # one text: nothing chose its head


def test_pronouns_are_told_by_group_beside_the_baselines(scored: Path) -> None:
    joined = open_patterns(scored).table("joined").set_index("way")
    assert joined.loc["nearest candidate", "accuracy"] == pytest.approx(3 / 8)  # Beth is nearer
    assert joined.loc["best head, centred", "questions"] == 8
    assert "accuracy_feminine" in joined.columns


def test_the_same_command_goes_on_and_gives_the_same(
    scored: Path, given: list[str], tiny_folder, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    again = shutil.copytree(scored, tmp_path / "again")
    shutil.rmtree(again / "tables")
    shutil.rmtree(shard_paths(again)[0])
    command = ["patterns", *given, "--out", str(again), "--model", str(tiny_folder("bert"))]
    assert main([*command, "--workers", "2"]) == 0
    assert open_patterns(again).stored == open_patterns(scored).stored
    assert main([*command, "--layout", "separated"]) == 2


def test_bad_input_is_told_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.conllu").write_text("1\tword\n", encoding="utf-8")
    for file, says in (("bad.conllu", "line 1 has 2 columns"), ("none.conllu", "There is no file")):
        assert main(["patterns", str(tmp_path / file), "--out", str(tmp_path / "out")]) == 2
        assert says in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
