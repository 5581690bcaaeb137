"""Everything in one archive: tables, keywords, figures, the text's title, one format."""

import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import attn_core
from attn_core.columns.dictionary import table_of
from attn_core.models.files import ModelSpec
from attn_core.texts.documents import samples
from attn_core.ui.choice import Choice
from attn_core.ui.shell.handing_on import archive
from tests.columns.described import described
from tests.places import assert_no_places

pytestmark = pytest.mark.model
TEXT = next(sample for sample in samples() if sample.title == "A refrain")


def test_every_column_of_an_archive_is_described_and_no_file_says_where_it_was_made(
    tiny_folder: Callable[[str], Path],
) -> None:
    spec = ModelSpec(str(tiny_folder("bert")))
    files = archive(attn_core.analyze(TEXT.text, spec), Choice(spec, TEXT.title, TEXT.text), "both", {})
    assert_no_places(files, Path(spec.name))
    tables = {name.removesuffix(".csv") for name in files if name.endswith(".csv")}
    assert all(f"{table}.parquet" in files for table in tables)
    for table in tables:
        of = table_of(table, "printed" if table == "keywords" else "text")
        columns = pd.read_csv(io.BytesIO(files[f"{table}.csv"])).columns
        assert [one for one in columns if described(of, one) is None] == [], table
