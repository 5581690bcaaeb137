"""What a study says of one text is what a study of that text alone says."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attn_core.analysis.one_text import analyze
from attn_core.claims.claim import CLAIMS
from attn_core.models.files import ModelSpec
from attn_core.study import by_text
from attn_core.study.by_text import BY_HEAD, SHORT
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.subjects import Subject, with_baselines
from tests.families import TEXT, Folder
from tests.study.conftest import SMALL
from tests.study.made_up import SENTENCES, write_corpus, write_texts

EFFECTS = [claim.effect for claim in CLAIMS]
MIXED = {
    "a.txt": TEXT,
    "b.txt": TEXT * 9,
    "c.txt": "Hm.",
    "d.txt": " ".join(SENTENCES[2:9]),
    "e.txt": "The tide rose over the old stones by night.",
}


@pytest.fixture(scope="module")
def mixed(tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A long text that several shards hold the parts of, one that cannot be read, and one of too few pairs."""
    folder = tmp_path_factory.mktemp("mixed")
    corpus = write_texts(folder / "texts", MIXED)
    return run_study(corpus, with_baselines([tiny], ["untrained"], 1), folder / "study", SMALL)


def test_each_text_has_the_effects_of_a_study_of_it_alone(mixed: Study, tmp_path: Path) -> None:
    for subject in mixed.subjects:
        texts = mixed.of(subject.name).table("texts").set_index("name")
        assert list(texts.index) == [*MIXED]
        for name in ("a.txt", "b.txt", "d.txt"):
            source = Path(mixed.manifest["corpus"]["source"]) / name
            alone = run_study(Corpus(str(source)), [subject], tmp_path / subject.slug / name, SMALL)
            claims = alone.claims.set_index("effect")
            own, values = texts.loc[name], claims["value"]
            inapplicable = claims["reason"].str.contains("one sentence|separator|reference texts")
            np.testing.assert_allclose(own[EFFECTS].astype(float), values.mask(inapplicable)[EFFECTS], rtol=1e-5)
            (read,) = alone.table("subjects").to_dict("records")
            assert (own["windows"], own["short_windows"]) == (read["windows"], read["short_windows"])
        assert texts["problem"].notna().tolist() == [False, False, True, False, True]
        assert texts["problem"].iloc[2].startswith("too short: 5 tokens") and texts["problem"].iloc[4] == SHORT
        assert texts.loc[texts["problem"].notna(), EFFECTS].isna().all(axis=None)
        assert texts["language"].fillna("").tolist() == ["en", "en", "", "en", "en"]
    assert mixed.of().table("texts")[EFFECTS].notna().sum(axis=1).max() >= 10


def test_where_no_text_has_pairs_enough_effects_of_attention_remain(tmp_path: Path, tiny: ModelSpec) -> None:
    corpus = Corpus(str(write_corpus(tmp_path / "texts", texts=4)))
    texts = run_study(corpus, tiny, tmp_path / "study", replace(SMALL, analysis=replace(SMALL.analysis, share=0.001)))
    known = texts.table("texts")[EFFECTS].notna().all()
    assert {claim.effect for claim in CLAIMS if not claim.of_pairs} == set(known[known].index)


def test_heads_by_text_are_those_of_an_analysis_and_of_the_last_step_alone(
    tmp_path: Path, tiny_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, folder = ModelSpec(str(tiny_folder("gpt2"))), write_corpus(tmp_path / "texts", texts=5)
    subjects = with_baselines([Subject("run", spec, step=1), Subject("run", spec, step=2)], ["shuffled_weights"], 1)
    monkeypatch.setattr(by_text, "MOST", 3)
    study = run_study(Corpus(str(folder)), subjects, tmp_path / "study", replace(SMALL, batch_tokens=1))
    table = study.table("text_heads")
    assert table[["subject", "step", "text"]].drop_duplicates().to_numpy().tolist() == [
        ["run", 2, text] for text in (0, 2, 4)
    ]
    for text, rows in table.groupby("text"):
        heads = analyze((folder / f"{text:03d}.txt").read_text(), spec, SMALL.analysis).heads
        names = ["layer", "head", *(name for one in BY_HEAD for name in (one.name, one.chance))]
        expected = heads[names].astype(dict.fromkeys(names[2:], np.float32))
        pd.testing.assert_frame_equal(rows[names].reset_index(drop=True), expected)
