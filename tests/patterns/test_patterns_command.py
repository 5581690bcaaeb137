"""`patterns` as a user gives it: tables, resuming, and what bad input gets."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attn_core.__main__ import main
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.patterns import runner
from attn_core.patterns.files import annotated_files
from attn_core.patterns.opened import open_patterns
from attn_core.patterns.over_texts import halves
from attn_core.patterns.pair_scores import see
from attn_core.patterns.ruled import RuledCorpus
from attn_core.patterns.rules import OwnRule, TextWords, pairs_of
from attn_core.patterns.runner import score_patterns
from attn_core.patterns.word_maps import read_words
from attn_core.runs.run import Workers
from attn_core.runs.shards import shard_paths
from attn_core.similarity.words import find_words
from attn_core.study.corpus import Corpus
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_passages
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
    several = heads["p"].notna()
    assert (heads["p_adjusted"] >= heads["p"])[several].all()
    of_one_text = scores.table("relations").query("texts == 1")["relation"]
    assert several.any() and not several[heads["relation"].isin(of_one_text)].any()  # the texts are the sample
    coreference = scores.table("relations").set_index(["relation", "map"]).loc[("coreference", "centred")]
    assert coreference["pairs"] == 2
    assert pd.isna(coreference["score"])  # one text: nothing chose its head


def test_pronouns_are_told_by_group_beside_the_baselines(scored: Path) -> None:
    joined = open_patterns(scored).table("joined").set_index("way")
    assert joined.loc["nearest candidate", "accuracy"] == pytest.approx(3 / 8)  # Beth is nearer
    assert joined.loc["best head, centred", "questions"] == 8
    assert "accuracy_feminine" in joined.columns


def test_dask_goes_on_with_the_same_and_gives_the_same(
    scored: Path, given: list[str], tiny_folder, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    distributed = pytest.importorskip("distributed")
    again = shutil.copytree(scored, tmp_path / "again")
    shutil.rmtree(again / "tables")
    shutil.rmtree(shard_paths(again)[0])
    files, spec = annotated_files(list(map(Path, given))), ModelSpec(str(tiny_folder("bert")))
    with (
        distributed.LocalCluster(
            1, threads_per_worker=1, processes=False, protocol="tcp://", host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        scores = score_patterns(files, spec, again, workers=Workers(client.get_executor(pure=False), 2))
    assert scores.stored == open_patterns(scored).stored
    command = ["patterns", *given, "--out", str(again), "--model", str(tiny_folder("bert"))]
    assert main([*command, "--layout", "separated"]) == 2


def test_rules_look_at_any_corpus_and_their_scores_are_those_of_the_page(tiny_folder, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "texts").mkdir()
    text = "The tide rose, and the boats rose with it. " * 3
    for number in range(3):
        (tmp_path / "texts" / f"{number}.txt").write_text(text * (number + 1), encoding="utf-8")
    (tmp_path / "texts" / "bad.txt").write_text("...", encoding="utf-8")
    model, out = tiny_folder("bert"), tmp_path / "out"
    command = ["patterns", str(tmp_path / "texts"), "--out", str(out), "--model", str(model)]
    own = ["--own", "the-s", "the", r"\w+s", "--farthest", "1", "--own", "none", "x", "y"]
    assert main([*command, "--rule", "same_word", *own]) == 0
    scores = open_patterns(out)
    assert scores.provenance["texts"] == 3 and scores.provenance["bad_texts"] == 1
    relations = scores.table("relations").set_index(["relation", "map"])
    assert relations.loc[("the-s", "dot"), "pairs"] == 3 * (1 + 2 + 3)
    assert relations.loc[("the-s", "dot"), "fixed_offset"] == 1.0  # the word after it
    assert relations.loc[("Same word again", "centred"), "texts"] == 3
    assert "none" not in relations.index.get_level_values(0)
    assert "boats – " not in scores.table("examples").set_index("relation").loc["the-s", "examples"]

    loaded = load(ModelSpec(str(model)))
    windows = []
    for number in range(3):
        for passage in read_passages(read_document(text * (number + 1)), loaded.tokenizer, loaded.max_tokens):
            words = find_words(passage)
            pairs = pairs_of("Same word again", TextWords.of(passage, words))
            windows.append((0, read_words(loaded, passage, words), pairs))
    seen = see(windows)
    assert seen is not None
    heads = scores.table("heads")
    of_page = heads[(heads["relation"] == "Same word again") & (heads["map"] == "centred")]
    assert of_page["score"].to_numpy() == pytest.approx(seen.heads("centred")["score"].to_numpy())

    assert main([*command, "--rule", "numbers"]) == 2  # other rules want another folder


def test_parts_of_a_long_text_are_one_text(tiny_folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(runner, "SHARD_CHARACTERS", 60)
    line = "The tide rose, and the boats rose with it.\n"
    (tmp_path / "long.txt").write_text(line * 6, encoding="utf-8")
    (tmp_path / "short.txt").write_text(line * 2, encoding="utf-8")
    corpus = RuledCorpus(Corpus(str(tmp_path / "*.txt")), (("rose", OwnRule("tide", "rose", farthest=1)),), "en")
    scores = score_patterns(corpus, ModelSpec(str(tiny_folder("bert"))), tmp_path / "out")
    assert scores.table("texts")["part"].tolist() == [0, 1, 2, 0] and scores.provenance["texts"] == 2
    row = scores.table("relations").iloc[0]
    assert (row["texts"], row["pairs"]) == (2, 8)
    assert halves(np.array([0, 0, 0, 4, 7])).tolist() == [False, False, False, True, False]


def test_words_and_pairs_that_cannot_be_scored_are_counted(
    tiny_folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # type: ignore[no-untyped-def]
    # No token for the second.
    words = [("Mary", 2, "nsubj"), ("\u200b", 3, "dep"), ("sleeps", 0, "root"), (".", 3, "punct")]
    rows = [f"{at}\t{word}\t_\tX\t_\t_\t{head}\t{name}\t_\t_\n" for at, (word, head, name) in enumerate(words, start=1)]
    file = tmp_path / "invisible.conllu"
    command = ["patterns", str(file), "--model", str(tiny_folder("bert")), "--out"]
    file.write_text("".join(rows), encoding="utf-8")
    assert main([*command, str(tmp_path / "few")]) == 0
    assert "too few to tell: punct" in capsys.readouterr().out
    scores = open_patterns(tmp_path / "few")
    assert scores.table("texts")["words_left_out"].tolist() == [1]
    assert scores.table("relations")["relation"].unique().tolist() == ["punct"]
    file.write_text("".join(rows[:3]), encoding="utf-8")
    assert main([*command, str(tmp_path / "none")]) == 2
    assert "No pair could be scored" in capsys.readouterr().err


def test_bad_input_is_told_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.conllu").write_text("1\tword\n", encoding="utf-8")
    for file, says in (("bad.conllu", "sentence 1, word 1 lacks the columns"), ("none.conllu", "There is no file")):
        assert main(["patterns", str(tmp_path / file), "--out", str(tmp_path / "out")]) == 2
        assert says in capsys.readouterr().err
    own = ["--own", "\udcff", "a", "b"]
    assert main(["patterns", str(tmp_path), "--out", str(tmp_path / "out"), *own]) == 2
    assert "needs a name that can be printed" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
