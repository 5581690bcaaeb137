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
from attn_core.patterns.pooled_scores import halves
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines
from tests.patterns import made_up
from tests.study.made_up import write_texts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def annotated(tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("annotated")
    subjects = with_baselines([tiny], ("untrained", "shuffled_text"), seeds=1)
    return run_study(made_up.annotated(folder), subjects, folder.parent / "out")


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


def test_parts_of_a_long_text_are_one_text(tiny: ModelSpec, tmp_path: Path) -> None:
    line = "The tide rose, and the boats rose with it.\n"
    corpus = write_texts(tmp_path / "texts", {"long.txt": line * 6, "short.txt": line * 2})
    settings = StudySettings(rules=("punctuation", "numbers"), shard_characters=60, min_tokens=2)
    study = run_study(corpus, tiny, tmp_path / "out", settings)
    relations = study.table("relations")
    assert set(relations["relation"]) == {"Punctuation mark and another before it"}  # no number stands there
    assert relations["texts"].iloc[0] == study.of().provenance["texts"] == 2
    assert halves(np.array([0, 0, 0, 4, 7])).tolist() == [False, False, False, True, False]


def test_the_command_takes_rules(tiny: ModelSpec, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "The tide rose, and the boats rose with it. "
    write_texts(tmp_path, {f"{number}.txt": line * (number + 2) for number in range(4)})
    command = ["study", str(tmp_path / "*.txt"), "--models", tiny.name, "--out", str(tmp_path / "out")]
    assert main([*command, "--rule", "same_word"]) == 0
    assert "| Same word again | " in capsys.readouterr().out
    assert Study.open(tmp_path / "out").provenance["rules"] == ["same_word"]
    assert main([*command, "--rule", "names"]) == 2  # other rules want another folder
    with pytest.raises(InputError, match=rf"choose from {RULES}\."):
        StudySettings(rules=("beauty",))
