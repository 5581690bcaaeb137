"""What the archive of all tables packs."""

import io
import zipfile

import pytest
import streamlit as st

from attn_core.analysis.one_text import analyze
from attn_core.columns.dictionary import in_markdown
from attn_core.ui.widgets.downloads import tables_button
from tests.families import TEXT


def test_the_archive_of_all_tables_says_what_their_columns_mean(tiny_folder, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(st, "download_button", lambda _label, data, **_: made.append(data()))
    tables_button(analyze(TEXT, str(tiny_folder("bert"))), "a text", "Download")
    archive = zipfile.ZipFile(io.BytesIO(made[0]))
    assert archive.read("columns.md").decode() == in_markdown()
    assert {"heads.csv", "heads.parquet", "provenance.json"} <= {*archive.namelist()}
