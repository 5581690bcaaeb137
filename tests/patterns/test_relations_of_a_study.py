"""Relations as tables of a study: of annotated texts and of rules, with halves that choose for each other."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attn_core.__main__ import main
from attn_core.commands.study import RULES
from attn_core.errors import InputError
from attn_core.models.files import ModelSpec
from attn_core.patterns.gap import ANTECEDENT
from attn_core.patterns.pooled import halves
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines
from tests.patterns.made_up import WORDS, gap_file

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def annotated(tiny_folder, tmp_path_factory: pytest.TempPathFactory) -> Study:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("annotated")
    (folder / "made-up.conllu").write_text(WORDS, encoding="utf-8")
    (folder / "gap.tsv").write_text(gap_file(8), encoding="utf-8")
    subjects = with_baselines([ModelSpec(str(tiny_folder("bert")))], ("untrained", "shuffled_text"), seeds=1)
    return run_study(Corpus(str(folder)), subjects, folder.parent / "out")


def test_every_relation_has_a_row_for_every_map_and_head(annotated: Study) -> None:
    tables = annotated.of()
    heads, relations, joined = (tables.table(name) for name in ("relation_heads", "relations", "joined"))
    assert (heads.groupby(["relation", "map"]).size() == np.prod(tables.shape)).all()
    assert heads["score"].between(0, 1).all() and (heads["chance_score"] == 0.5).all()
    coreference = relations.set_index(["relation", "map"]).loc[("coreference", "centred")]
    assert coreference["pairs"] == 2
    assert pd.isna(coreference["score"])  # one text: nothing chose its head
    assert joined["way"].tolist() == ["similarity", "attention", "all"]
    assert (joined["pairs"] == 6).all() and set(joined["relation"]) == {ANTECEDENT}
    own, copy, shuffled = (subject.name for subject in annotated.subjects)
    counted = annotated.table("relations").groupby("subject")["pairs"].sum()
    assert counted[own] == counted[copy] and shuffled not in counted
    assert set(annotated.table("relation_heads")["subject"]) == {own}


def test_parts_of_a_long_text_are_one_text(tiny_folder, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    line = "The tide rose, and the boats rose with it.\n"
    (tmp_path / "long.txt").write_text(line * 6, encoding="utf-8")
    (tmp_path / "short.txt").write_text(line * 2, encoding="utf-8")
    settings = StudySettings(rules=("punctuation", "numbers"), shard_characters=60, min_tokens=2)
    study = run_study(Corpus(str(tmp_path / "*.txt")), ModelSpec(str(tiny_folder("bert"))), tmp_path / "out", settings)
    relations = study.table("relations")
    assert set(relations["relation"]) == {"Punctuation mark and another before it"}  # no number stands there
    assert relations["texts"].iloc[0] == study.of().provenance["texts"] == 2
    assert halves(np.array([0, 0, 0, 4, 7])).tolist() == [False, False, False, True, False]


def test_the_command_takes_rules(tiny_folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("The tide rose, and the boats rose with it. " * (number + 2))
    command = ["study", str(tmp_path / "*.txt"), "--models", str(tiny_folder("bert")), "--out", str(tmp_path / "out")]
    assert main([*command, "--rule", "same_word"]) == 0
    assert "| Same word again | " in capsys.readouterr().out
    assert Study.open(tmp_path / "out").provenance["rules"] == ["same_word"]
    assert main([*command, "--rule", "names"]) == 2  # other rules want another folder
    with pytest.raises(InputError, match=rf"choose from {RULES}\."):
        StudySettings(rules=("beauty",))
