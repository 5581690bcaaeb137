"""A study of one text gives the tables of that text; a study of several gives their sums."""

import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from attn_core.analysis.one_text import Analysis, analyze
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.token_coverage import NONE, added, touched
from attn_core.models.files import ModelSpec
from attn_core.runs.folder import TABLES
from attn_core.runs.run import Workers
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import Unit
from attn_core.study.by_text import read_texts
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study, SubjectTables, subject_path
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings, Variant
from attn_core.study.subjects import with_baselines
from attn_core.study.sums import _parts, _tally
from attn_core.study.variant_counts import count_variants
from tests.families import TEXT, Folder, Tiny
from tests.processes import warm
from tests.study.conftest import SMALL
from tests.study.made_up import digests, write_corpus


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


@pytest.mark.parametrize(
    ("family", "chosen", "unit"),
    [
        ("bert", Settings("cosine", 0.05, with_special=False), "tokens"),
        ("bert", Settings(), "words"),
        ("gpt2", Settings("centred", with_special=False), "tokens"),
        ("modernbert", Settings(), "tokens"),  # whose layers differ in even attention
    ],
)
def test_a_study_of_one_text_has_its_tables(
    tmp_path: Path, tiny_folder: Folder, tiny_model: Tiny, family: str, chosen: Settings, unit: Unit
) -> None:
    text = f"{TEXT} {TEXT[40:]} {TEXT[:200]} {TEXT[20:]}"
    (tmp_path / "only.txt").write_text(text, encoding="utf-8")
    expected = analyze(text, tiny_model(family), chosen, unit=unit)
    assert len(expected.windows) >= 3
    one_by_one = StudySettings(chosen, unit=unit, batch_tokens=1)  # a batch of one window is read as a text is
    spec = ModelSpec(str(tiny_folder(family)))
    study = run_study(Corpus(str(tmp_path / "only.txt")), spec, tmp_path / "study", one_by_one).of()
    for name in ("heads", "layers", "distances", "distance_bins", "kinds", "anchors"):
        ours = getattr(expected, name)
        pd.testing.assert_frame_equal(study.table(name)[list(ours)], ours, check_exact=True, check_dtype=False)


def test_the_counts_of_a_setting_are_those_of_an_analysis_under_it(tiny_model: Tiny) -> None:
    model = tiny_model("modernbert")
    for setting in (Settings(share=0.03), Settings("cosine", 0.03, with_special=False)):
        analysis = analyze(TEXT, model, setting)
        passage, output = analysis.reading.passages[0], analysis.reading.outputs[0]
        found = count_variants(passage, output, {"tokens": {}, "words": {}})
        counted = found[Variant(**vars(setting), unit="tokens")]
        for name in ("mean_distance", "same_sentence_share", "separator_attention", "attention_spread"):
            value, chance = (analysis.layers[column] for column in (name, f"chance_{name}"))
            count = counted[name]
            np.testing.assert_allclose(count.numerator / count.weight, value)
            np.testing.assert_allclose(np.broadcast_to(count.chance, 3) / count.weight, chance)
        for name in ("chance_separator_attention", "chance_attention_spread"):
            assert analysis.layers[name].nunique() == 2  # of local layers and of the other


def test_texts_pool_by_their_pairs(pooled: SubjectTables, singles: list[Analysis]) -> None:
    strong = np.array([one.heads["pairs"].iloc[0] for one in singles])
    for name in ("mean_distance", "repetition_share", "concentration", "chance_same_sentence_share"):
        expected = sum(one.heads[name] * k for one, k in zip(singles, strong, strict=True)) / strong.sum()
        np.testing.assert_allclose(pooled.heads[name], expected, rtol=1e-6)
    assert pooled.provenance["texts"] == 12


def test_anchors_have_their_stability_and_chance(pooled: SubjectTables, singles: list[Analysis]) -> None:
    coverages = [touched(window) for one in singles for window in one.windows]
    ids = np.stack(
        [one.token_ids[one.most_covered_tokens()].ravel() for one in coverages]
    )  # the anchor of each window and head
    together = added(coverages)
    first = together.token_ids[together.most_covered_tokens()].ravel()
    anchors = pooled.heads["anchor_id"].to_numpy()
    np.testing.assert_array_equal(np.where(anchors == NONE, NONE, first), anchors)
    np.testing.assert_allclose(pooled.heads["anchor_stability"], (ids == first).mean(axis=0))
    ranked = pooled.table("anchors").query("rank == 1")
    np.testing.assert_allclose(ranked["stability"], pooled.heads["anchor_stability"])
    others = [
        np.mean([window[other] == first[head] for window in ids for other in range(12) if other != head])
        for head in range(12)
    ]
    np.testing.assert_allclose(pooled.heads["chance_anchor_stability"], others)
    sizes = [sum(window.shape[2] >= MIN_PAIRS for window in one.windows) for one in singles]
    unique = np.average([one.layers["anchor_uniqueness"] for one in singles], axis=0, weights=sizes)
    np.testing.assert_allclose(pooled.layers["anchor_uniqueness"], unique)


def test_bad_texts_are_listed_and_do_not_stop_a_study(tmp_path: Path, tiny: ModelSpec, small: StudySettings) -> None:
    folder = write_corpus(tmp_path / "texts", texts=4)
    one_shard = replace(small, shard_characters=128_000)
    good = run_study(Corpus(str(folder)), tiny, tmp_path / "good", one_shard).of()
    for name, content in {"a": b"", "b": b"  \n", "c": b"Short.", "d": b"\x00\x01\xff", "e": b"?! ..."}.items():
        (folder / f"zz-{name}.txt").write_bytes(content)
    study = run_study(Corpus(str(folder)), tiny, tmp_path / "bad", one_shard).of()
    bad = study.table("bad_texts")
    assert [reason.split(":")[0] for reason in bad["reason"]] == [
        "empty", "empty", "too short", "undecodable", "There is no word in this text"
    ]  # fmt: skip
    assert list(bad["name"]) == [f"zz-{letter}.txt" for letter in "abcde"]
    assert study.provenance["bad_texts"] == 5
    pd.testing.assert_frame_equal(study.heads, good.heads)


def test_tables_have_the_same_bytes_with_any_workers_and_a_long_text_in_many_shards(
    tiny: ModelSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = write_corpus(tmp_path / "texts", texts=16), tmp_path / "study"
    (folder / "005.txt").write_text(TEXT * 20, encoding="utf-8")
    subjects = with_baselines([tiny], ["untrained"], 1)
    settings = replace(SMALL, every_setting=True)
    monkeypatch.setattr("attn_core.study.by_text.AT_ONCE", 2)
    study = run_study(Corpus(str(folder)), subjects, out, settings)
    alone = digests(out)
    ranges = read_texts(subject_path(out, study.subjects[0])).ranges
    assert len(ranges) == 3 and max(one.stop - one.start for one in ranges) > 4
    shutil.rmtree(out / TABLES)
    asked = []
    with ProcessPoolExecutor(2, warm()) as pool:
        submit = pool.submit

        def asking(work: Callable[..., Any], /, *given: Any) -> Any:
            asked.append(work.func if isinstance(work, partial) else work)
            return submit(work, *given)

        monkeypatch.setattr(pool, "submit", asking)
        run_study(Corpus(str(folder)), subjects, out, settings, Workers(pool, 4, 1))
    assert [asked.count(work) for work in (_parts, _tally)] == [2 * len(ranges)] * 2
    assert digests(out) == alone
    shutil.rmtree(out / TABLES)
    monkeypatch.setattr("attn_core.study.by_text.AT_ONCE", 100)
    whole = run_study(Corpus(str(folder)), subjects, out, settings)
    for name in filter(study.has, ("heads", "layers", "anchors", "texts", "text_heads", "examples", "claims")):
        pd.testing.assert_frame_equal(whole.table(name), study.table(name), check_exact=False, rtol=1e-9)
