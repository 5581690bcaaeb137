"""A study of one text gives the tables of that text; a study of several gives their sums."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attn_core.analysis.one_text import Analysis, analyze
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.statistics import OF_HEADS
from attn_core.measures.token_coverage import NONE, added, touched
from attn_core.models.files import ModelSpec
from attn_core.runs.shards import tables_named
from attn_core.similarity.strong_pairs import Settings
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study, SubjectTables
from attn_core.study.pooled import read_texts
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from tests.families import TEXT, Folder, Tiny
from tests.study.conftest import SMALL
from tests.study.made_up import write_corpus

CHOICES = Settings("cosine", 0.05, with_special=False), Settings("centred", with_special=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve texts."""
    return write_corpus(tmp_path_factory.mktemp("pooled") / "texts", texts=12)


@pytest.fixture(scope="module")
def pooled(folder: Path, tiny: ModelSpec) -> SubjectTables:
    """A study of them, in several shards, opened where it was moved to: read it only."""
    made = run_study(Corpus(str(folder)), tiny, folder.with_name("study"), SMALL)
    return Study.open(made.folder.rename(folder.with_name("moved"))).of()


@pytest.fixture(scope="module")
def singles(folder: Path, tiny_model: Tiny) -> list[Analysis]:
    """Each of them alone."""
    return [analyze(file.read_text(), tiny_model("bert"), SMALL.analysis) for file in sorted(folder.iterdir())]


def study_of(text: str, folder: Path, spec: ModelSpec, chosen: Settings) -> SubjectTables:
    folder.mkdir(exist_ok=True)
    (folder / "only.txt").write_text(text, encoding="utf-8")
    return run_study(Corpus(str(folder)), spec, folder.with_name("study"), StudySettings(chosen, batch_tokens=200)).of()


@pytest.mark.parametrize(("family", "chosen"), [("bert", CHOICES[0]), ("gpt2", CHOICES[1])])
def test_a_study_of_one_text_gives_the_tables_of_the_text(
    tmp_path: Path, tiny_folder: Folder, tiny_model: Tiny, family: str, chosen: Settings
) -> None:
    text = f"{TEXT} {TEXT[40:]} {TEXT[:200]} {TEXT[20:]}"
    expected = analyze(text, tiny_model(family), chosen)
    assert len(expected.windows) >= 3
    study = study_of(text, tmp_path / "texts", ModelSpec(str(tiny_folder(family))), chosen)
    for name in ("heads", "layers", "distances", "distance_bins", "kinds", "anchors"):
        pooled, wanted = study.table(name), getattr(expected, name)
        assert list(pooled.columns[: len(wanted.columns)])[:8] == list(wanted.columns)[:8]
        pd.testing.assert_frame_equal(pooled[list(wanted.columns)], wanted, check_dtype=False, rtol=1e-5, atol=1e-7)


def anchors_of_windows(analysis: Analysis) -> np.ndarray:
    """The id of every head's anchor within each window, (window, H)."""
    coverages = [touched(window) for window in analysis.windows]
    return np.stack([one.token_ids[one.leaders()].ravel() for one in coverages])


def first_tokens(analyses: Sequence[Analysis]) -> np.ndarray:
    """The id of every head's first token over all texts, (H,): its anchor, where it has one."""
    together = added([touched(window) for one in analyses for window in one.windows])
    return together.token_ids[together.leaders()].ravel()


def test_texts_pool_by_their_pairs(pooled: SubjectTables, singles: list[Analysis]) -> None:
    strong = np.array([one.heads["pairs"].iloc[0] for one in singles])
    for name in ("mean_distance", "repetition_share", "concentration", "chance_same_sentence_share"):
        expected = sum(one.heads[name] * k for one, k in zip(singles, strong, strict=True)) / strong.sum()
        np.testing.assert_allclose(pooled.heads[name], expected, rtol=1e-6)
    ids = np.concatenate([anchors_of_windows(one) for one in singles])
    first, anchors = first_tokens(singles), pooled.heads["anchor_id"].to_numpy()
    np.testing.assert_array_equal(np.where(anchors == NONE, NONE, first), anchors)
    np.testing.assert_allclose(pooled.heads["anchor_stability"], (ids == first).mean(axis=0))
    first = pooled.table("anchors")[pooled.table("anchors")["rank"] == 1]
    np.testing.assert_allclose(first["stability"], pooled.heads["anchor_stability"])
    assert pooled.provenance["texts"] == 12


def test_anchors_have_their_chance_levels_over_texts(pooled: SubjectTables, singles: list[Analysis]) -> None:
    first = first_tokens(singles)
    ids = np.concatenate([anchors_of_windows(one) for one in singles])
    others = [
        np.mean([window[other] == first[head] for window in ids for other in range(12) if other != head])
        for head in range(12)
    ]
    np.testing.assert_allclose(pooled.heads["chance_anchor_stability"], others)
    # Others say nothing beside them.
    sizes = [sum(window.shape[2] >= MIN_PAIRS for window in one.windows) for one in singles]
    unique = np.average([one.layers["anchor_uniqueness"] for one in singles], axis=0, weights=sizes)
    np.testing.assert_allclose(pooled.layers["anchor_uniqueness"], unique)
    assert (
        pooled.layers["anchor_uniqueness"]
        .between(pooled.layers["anchor_uniqueness_low"], pooled.layers["anchor_uniqueness_high"])
        .all()
    )


def test_a_text_weighs_by_its_strong_pairs(pooled: SubjectTables) -> None:
    strong = dict.fromkeys(range(12), 0)
    for table in tables_named(pooled.folder, "windows"):
        for text, pairs in zip(table["text"].to_pylist(), table["weight_mean_distance"].to_pylist(), strict=True):
            strong[text] += pairs
    sizes, texts = read_texts(pooled.folder).sizes, pooled.provenance["texts"]
    assert sizes[: len(strong)].tolist() == list(strong.values())
    assert texts == len(strong) and not sizes[texts:].any()
    assert len(set(strong.values())) > 1


def test_a_text_in_parts_is_one_text(tmp_path: Path, tiny: ModelSpec, small: StudySettings) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("\n".join([TEXT] * 8), encoding="utf-8")
    write_corpus(tmp_path / "texts", texts=3)
    study = run_study(Corpus(str(tmp_path / "texts")), tiny, tmp_path / "study", small).of()
    assert study.provenance["texts"] == 4
    assert study.layers["anchor_uniqueness"].between(0, 1).all()
    windows = study.provenance["windows"]
    np.testing.assert_allclose(study.heads["anchor_stability"] * windows % 1, 0, atol=1e-9)


def test_bounds_stand_beside_their_statistic_and_enclose_it(pooled: SubjectTables) -> None:
    for table in (pooled.heads, pooled.layers):
        bounded = {name.removesuffix("_low") for name in table if name.endswith("_low")}
        of_heads = {share.name for share in OF_HEADS}  # whose chance says nothing
        assert all({name, f"{name}_high"} <= set(table) for name in bounded)
        assert all(f"chance_{name}" in table for name in bounded - of_heads)
        for name in ("mean_distance", "same_sentence_share", "separator_attention", "concentration"):
            inside = table[name].between(table[f"{name}_low"], table[f"{name}_high"])
            assert inside.mean() > 0.9
            assert (table[f"{name}_low"] < table[f"{name}_high"]).all()


def test_bad_texts_are_listed_and_do_not_stop_a_study(tmp_path: Path, tiny: ModelSpec, small: StudySettings) -> None:
    folder = write_corpus(tmp_path / "texts", texts=4)
    one_shard = replace(small, shard_characters=128_000)
    good, together = (
        run_study(Corpus(str(folder)), tiny, tmp_path / name, settings).of()
        for name, settings in {"good": small, "together": one_shard}.items()
    )
    for name, content in {"a": b"", "b": b"  \n", "c": b"Short.", "d": b"\x00\x01\xff", "e": b"?! ..."}.items():
        (folder / f"zz-{name}.txt").write_bytes(content)
    study = run_study(Corpus(str(folder)), tiny, tmp_path / "bad", small).of()
    bad = study.table("bad_texts")
    assert [reason.split(":")[0] for reason in bad["reason"]] == [
        "empty", "empty", "too short", "undecodable", "There is no word in this text"
    ]  # fmt: skip
    assert list(bad["name"]) == [f"zz-{letter}.txt" for letter in "abcde"]
    assert study.provenance["bad_texts"] == 5
    # They move the ends of shards, and with them what noise is counted beside.
    same = [name for name in good.heads if "noise" not in name and "snr" not in name]
    pd.testing.assert_frame_equal(study.heads[same], good.heads[same])
    study = run_study(Corpus(str(folder)), tiny, tmp_path / "bad in one shard", one_shard).of()
    pd.testing.assert_frame_equal(study.heads, together.heads)
