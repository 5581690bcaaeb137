"""What an archive of tables packs."""

from pathlib import Path

from attn_core.analysis.one_text import analyze
from attn_core.columns.dictionary import in_markdown
from attn_core.io.table_folder import checked_provenance
from attn_core.ui.widgets.show import archived
from tests.families import TEXT


def test_an_archive_lists_its_files_and_says_what_its_columns_mean(tiny_folder, tmp_path: Path) -> None:
    files = archived(analyze(TEXT, str(tiny_folder("bert"))).files(), "a text")
    assert files["columns.md"].decode() == in_markdown()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert checked_provenance(tmp_path)["files"].keys() == files.keys() - {"provenance.json"}
    assert {"heads.csv", "heads.parquet"} == {name for name in files if name.startswith("heads.")}
