"""What an archive of tables packs."""

from pathlib import Path

import pytest

from attn_core.analysis.one_text import analyze
from attn_core.columns.dictionary import in_markdown
from attn_core.io.table_folder import checked_provenance
from attn_core.ui.widgets.downloads import WITHOUT, archived
from tests.families import TEXT


@pytest.mark.parametrize(("form", "kinds"), [("CSV", {"csv"}), ("Parquet", {"parquet"}), ("both", {"csv", "parquet"})])
def test_an_archive_has_the_format_that_is_asked_for_and_says_what_its_columns_mean(
    tiny_folder, tmp_path: Path, form: str, kinds: set[str]
) -> None:
    assert form in WITHOUT
    files = archived(analyze(TEXT, str(tiny_folder("bert"))).files(), "a text", form)
    assert files["columns.md"].decode() == in_markdown()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert checked_provenance(tmp_path)["files"].keys() == files.keys() - {"provenance.json"}
    assert {f"heads.{kind}" for kind in kinds} == {name for name in files if name.startswith("heads.")}
