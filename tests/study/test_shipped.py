"""The studies that come with the project, as tables alone."""

from pathlib import Path

import pandas as pd
import pytest

import attn_core
from attn_core.claims.claim import BY_EFFECT
from attn_core.claims.table import verdict
from attn_core.columns.dictionary import provenance_column
from attn_core.models.baselines import CONTROLS
from attn_core.models.files import COPIES, ModelSpec
from attn_core.study.corpus import Corpus
from attn_core.study.opened import Study
from attn_core.study.runner import run_study
from attn_core.study.subjects import Subject, with_baselines
from tests.columns.described import described, table_of
from tests.samples import ship
from tests.study.conftest import SMALL
from tests.study.made_up import write_corpus

SHIPPED = Path(attn_core.__file__).parent / "study" / "sample"
NAMES = ("from-noise", "minilm-on-sample-texts")
MOST = 3_300_000  # bytes of all of them


def test_they_take_little_room() -> None:
    assert {path.name for path in SHIPPED.iterdir()} == set(NAMES)
    assert sum(file.stat().st_size for file in SHIPPED.rglob("*") if file.is_file()) <= MOST


@pytest.mark.parametrize("name", NAMES)
def test_each_opens_whole_and_is_handed_on_as_csv_too(name: str) -> None:
    study = Study.open(SHIPPED / name)
    tables = {file.stem for file in (SHIPPED / name / "tables").glob("*.parquet")}
    assert set(study.stored) == {"provenance.json", *(f"{table}.parquet" for table in tables)}
    assert {f"{table}.csv" for table in tables} < set(study.files())
    for table in tables:
        for column in study.table(table):
            of_subject = table == "subjects" and provenance_column(column)
            assert of_subject or described(table_of(table, "study"), column), f"{table}.{column}"
    assert study.files()["subjects.csv"].decode().count("\r\n") == 1 + len(study.records)


@pytest.mark.parametrize("name", NAMES)
def test_its_verdicts_are_those_of_the_thresholds_of_today(name: str) -> None:
    rows = Study.open(SHIPPED / name).claims.query("verdict != 'not applicable'")
    assert set(rows["verdict"]) == {"supported", "contradicted", "unclear"}
    for row in rows.to_dict("records"):
        assert row["verdict"] == verdict(BY_EFFECT[row["effect"]], row["low"], row["high"]), row


def test_a_study_is_shipped_as_its_tables_alone(tmp_path: Path, tiny: ModelSpec) -> None:
    steps = [Subject("training", tiny, step=step) for step in (0, 9)]
    subjects = with_baselines(steps, CONTROLS, 2)
    texts = write_corpus(tmp_path / "texts", texts=4)
    study = run_study(Corpus(str(texts)), subjects, tmp_path / "study", SMALL)
    ship(study, tmp_path / "shipped")
    shipped = Study.open(tmp_path / "shipped")
    first = ["training+shuffled_weights:0, step 0", "training+shuffled_weights:0, step 9", "training+untrained:0"]
    assert sorted(one.label for one in shipped.subjects) == sorted(["training, step 0", "training, step 9", *first])
    for table in ("layers", "heads"):
        made, kept = (one.copies_by_step("training", table) for one in (study, shipped))
        assert list(made) == list(COPIES.values())
        for kind, rows in kept.items():
            pd.testing.assert_frame_equal(rows, made[kind])
            assert rows.groupby("step").size().to_dict() == dict.fromkeys((0, 9), len(rows) // 2)
    untrained = shipped.copies_by_step("training", "layers")["untrained copy"]
    expected = study.of("training+untrained:0").layers
    for _, rows in untrained.groupby("step"):
        pd.testing.assert_frame_equal(rows.drop(columns="step").reset_index(drop=True), expected)
    assert {file.name for file in (tmp_path / "shipped").iterdir()} == {"manifest.json", "tables"}
    assert shipped.of().heads.equals(study.of().heads) and shipped.claims["untrained"].notna().any()
    assert shipped.manifest["counts"] == study.manifest["counts"]
    assert str(tmp_path) not in (tmp_path / "shipped" / "manifest.json").read_text()
