"""The studies that come with the project, as tables alone."""

from pathlib import Path

import pytest

import attn_core
from attn_core.claims.claim import BY_EFFECT
from attn_core.claims.verdicts import verdict
from attn_core.columns.dictionary import provenance_column
from attn_core.study.opened import Study
from tests.columns.described import described, table_of

SHIPPED = Path(attn_core.__file__).parent / "study" / "sample"
NAMES = ("from-noise", "minilm-on-sample-texts")
MOST = 2_000_000  # bytes of all of them


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
