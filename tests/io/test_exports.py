"""Tables on their way out: what is read back is what was written, and no spreadsheet runs it."""

import csv
import io
import json
import zipfile
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attn_core
from attn_core.io.exports import markdown, software, table_files, to_csv, to_parquet, to_zip

PROVENANCE = {"model": "m/x", "revision": None, "share": 0.01, "with_special": True}
NASTY = [
    '"', ",", "a,b", 'say "so"', "two\r\nlines", "two\nlines", "\rx", "", " ", "‹x›", "null", "NA", "é", "漢字", "🙂",
    "'",
]  # fmt: skip
RUN_BY_SPREADSHEETS = [
    "=1+1", "+1", "-1", "-", "=", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "|cmd", "%0", "＝1", "＋1", "－1", "＠x",
    " =1+1", "  @x",
]  # fmt: skip


def rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))


def read_back(data: bytes, **options: Any) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(data), keep_default_na=False, na_values={"number": [""]}, **options)


# CSV.


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1, max_size=8))
def test_strings_come_back_as_they_were_but_for_an_apostrophe(strings: list[str]) -> None:
    data = to_csv(pd.DataFrame({"token": strings}, dtype="str"), {})
    header, *body = rows(data)
    assert header == ["token"]
    for (cell,), string in zip(body, strings, strict=True):
        assert cell in (string, f"'{string}")
    assert [(string,) for string in read_back(data, dtype=str)["token"]] == [(cell,) for (cell,) in body]


def test_a_byte_order_mark_tells_a_spreadsheet_what_is_not_ascii() -> None:
    tide, cafe = (to_csv(pd.DataFrame({"token": [word]})) for word in ("tide", "café"))
    assert tide == b'"token"\r\n"tide"\r\n' and cafe == '\ufeff"token"\r\n"café"\r\n'.encode()


@pytest.mark.parametrize("kind", ["str", "object", "category"])
def test_a_string_or_a_name_of_a_column_that_a_spreadsheet_would_run_becomes_text(kind: str) -> None:
    for string in RUN_BY_SPREADSHEETS:
        table = pd.DataFrame({"token": pd.Series([string, "sea"], dtype=kind), string: [1027, -4]})
        assert rows(to_csv(table, {"model": string})) == [
            ["token", f"'{string}", "model"], [f"'{string}", "1027", f"'{string}"], ["sea", "-4", f"'{string}"],
        ]  # fmt: skip
        assert list(pd.read_parquet(io.BytesIO(to_parquet(table, {})))) == ["token", string]


FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(FLOATS, st.floats(width=32, allow_nan=False, allow_infinity=False)), min_size=1, max_size=5))
def test_numbers_come_back_to_the_last_bit(numbers: list[tuple[float, float]]) -> None:
    table = pd.DataFrame(numbers, columns=["double", "single"]).astype({"single": np.float32})
    back = read_back(to_csv(table, {}))
    assert back["double"].tolist() == table["double"].tolist()
    assert back["single"].astype(np.float32).tolist() == table["single"].tolist()


def test_truth_values_categories_missing_and_nullable_values_come_back() -> None:
    table = pd.DataFrame(
        {
            "flag": [True, False],
            "kind": pd.Categorical(["a", "b"]),
            "token": pd.array(["x", None], dtype="string"),
            "object": pd.Series(["y", None], dtype=object),
            "number": [1.5, np.nan],
            "count": pd.array([3, None], dtype="Int64"),
            "maybe": pd.array([True, None], dtype="boolean"),
        }
    )
    assert rows(to_csv(table, {}))[1:] == [["true", "a", "x", "y", "1.5", "3", "true"], ["false", "b", *[""] * 5]]
    back = read_back(to_csv(table, {}))
    assert back["flag"].dtype == bool
    assert np.isnan(back["number"][1])


def test_provenance_stands_in_the_last_columns_of_every_row_and_overwrites_no_column() -> None:
    back = read_back(to_csv(pd.DataFrame({"share": [0.3, 0.7]}), PROVENANCE))
    assert list(back) == ["share", "model", "revision", "provenance_share", "with_special"]
    assert back["share"].tolist() == [0.3, 0.7] and (back["provenance_share"] == 0.01).all()
    assert (back["model"] == "m/x").all() and (back["revision"] == "").all() and back["with_special"].all()


# Parquet.


def test_parquet_keeps_strings_and_types_as_they_are_with_provenance_in_its_metadata() -> None:
    strings = [*RUN_BY_SPREADSHEETS, *NASTY]
    table = pd.DataFrame({"token": strings, "number": np.arange(len(strings), dtype=np.float32), "flag": True})
    data = to_parquet(table, PROVENANCE)
    pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(data)), table)
    assert json.loads(pq.read_schema(io.BytesIO(data)).metadata[b"provenance"]) == PROVENANCE


# Everything.

TABLES = {"heads": pd.DataFrame({"head": [1, 2]}), "tokens": pd.DataFrame({"token": ["=", "sea"]})}


def test_every_table_is_there_twice_and_the_provenance_with_versions_once() -> None:
    files = table_files(TABLES, PROVENANCE)
    assert sorted(files) == ["heads.csv", "heads.parquet", "provenance.json", "tokens.csv", "tokens.parquet"]
    assert files["heads.csv"] == b'"head"\r\n1\r\n2\r\n'
    versions = {"program_version": attn_core.__version__, "software": software()}
    assert json.loads(files["provenance.json"]) == {**PROVENANCE, "program": "attn-core", **versions}


def test_the_archive_is_the_same_for_the_same_files_and_holds_them() -> None:
    files = table_files(TABLES, PROVENANCE)
    archive = to_zip(files)
    assert archive == to_zip(table_files(TABLES, PROVENANCE))
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        assert {name: opened.read(name) for name in opened.namelist()} == files
        assert {entry.date_time for entry in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_a_bar_in_a_name_stays_in_its_cell() -> None:
    assert markdown(["rule", "pairs"], [["a|b", 3]]) == "| rule | pairs |\n|---|---|\n| a\\|b | 3 |"
