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
    heads, relations = tables.table("relation_heads"), tables.table("relations")
    layers, per_layer = tables.shape
    assert (heads.groupby(["relation", "map"]).size() == layers * per_layer).all()
    assert heads["score"].between(0, 1).all() and (heads["chance_score"] == 0.5).all()
    coreference = relations.set_index(["relation", "map"]).loc[("coreference", "centred")]
    assert coreference["pairs"] == 2
    assert pd.isna(coreference["score"])  # one text: nothing chose its head


def test_a_copy_has_relations_and_shuffled_text_has_none(annotated: Study) -> None:
    own, copy, shuffled = (subject.name for subject in annotated.subjects)
    counted = annotated.table("relations").groupby("subject")["pairs"].sum()
    assert counted[own] == counted[copy] and shuffled not in counted
    assert set(annotated.table("relation_heads")["subject"]) == {own}


def test_heads_together_answer_the_choices_between_two(annotated: Study) -> None:
    joined = annotated.of().table("joined")
    assert joined["way"].tolist() == ["similarity", "attention", "all"]
    assert (joined["pairs"] == 6).all() and set(joined["relation"]) == {ANTECEDENT}
    assert joined["heads"].str.contains(r"L\dH\d:").all()


def test_parts_of_a_long_text_are_one_text(tiny_folder, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    line = "The tide rose, and the boats rose with it.\n"
    (tmp_path / "long.txt").write_text(line * 6, encoding="utf-8")
    (tmp_path / "short.txt").write_text(line * 2, encoding="utf-8")
    settings = StudySettings(rules=("punctuation", "numbers"), shard_characters=60, min_tokens=2)
    study = run_study(Corpus(str(tmp_path / "*.txt")), ModelSpec(str(tiny_folder("bert"))), tmp_path / "out", settings)
    relations = study.table("relations")
    assert set(relations["relation"]) == {"Punctuation mark and another before it"}  # no number stands there
    assert relations["texts"].iloc[0] == 2
    assert halves(np.array([0, 0, 0, 4, 7])).tolist() == [False, False, False, True, False]


def test_the_command_takes_rules_and_says_what_it_found(
    tiny_folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # type: ignore[no-untyped-def]
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text(
            "The tide rose, and the boats rose with it. " * (number + 2), encoding="utf-8"
        )
    command = ["study", str(tmp_path / "*.txt"), "--models", str(tiny_folder("bert")), "--out", str(tmp_path / "out")]
    assert main([*command, "--rule", "same_word"]) == 0
    assert "| Same word again | " in capsys.readouterr().out
    assert Study.open(tmp_path / "out").provenance["rules"] == ["same_word"]
    assert main([*command, "--rule", "same_word"]) == 0
    assert main([*command, "--rule", "names"]) == 2  # other rules want another folder
    with pytest.raises(InputError, match=f"choose from {RULES}"):
        StudySettings(rules=("beauty",))


def test_a_file_that_is_not_what_its_name_says_is_a_text_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "bad.conllu").write_text("1\tword\n", encoding="utf-8")
    (tmp_path / "bad.tsv").write_text("a\tb\n1\t2\n", encoding="utf-8")
    for name, says in (("bad.conllu", "sentence 1: word 1 lacks the columns"), ("bad.tsv", "names no column ID")):
        (text,) = Corpus(str(tmp_path / name)).texts()
        assert text.problem is not None and says in text.problem
    assert [text.name for text in Corpus(str(tmp_path)).texts()] == ["bad.conllu", "bad.tsv"]
