"""What leaves the dashboard: an archive of tables, and a report."""

from hashlib import sha256
from pathlib import Path

import pytest

import attn_core
from attn_core.columns.dictionary import in_markdown
from attn_core.io.exports import checked_provenance
from attn_core.models.files import ModelSpec
from attn_core.report.document import html
from attn_core.texts.documents import samples
from attn_core.ui.readings import Choice
from attn_core.ui.shell.sidebar import _files as tables_of
from attn_core.ui.shell.sidebar import _report
from attn_core.ui.widgets.show import archived
from tests.places import assert_no_places
from tests.ui.pages import text_of

OWN = "The lamp is lit at dusk. The keeper climbs the stair, and the lamp turns. Nobody sees the lamp <b>go</b> out."
TEXT = text_of("A refrain")


def test_an_archive_has_every_table_twice_what_its_columns_mean_and_a_provenance_that_proves_it(
    tiny: ModelSpec, tmp_path: Path
) -> None:
    files = archived(tables_of(attn_core.analyze(TEXT, tiny)), "A refrain")
    tables = {name.removesuffix(".csv") for name in files if name.endswith(".csv")}
    assert tables and all(f"{table}.parquet" in files for table in tables)
    assert files["columns.md"].decode() == in_markdown()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert checked_provenance(tmp_path)["files"].keys() == files.keys() - {"provenance.json"}
    assert_no_places(files, Path(tiny.name))


@pytest.mark.long
def test_the_report_of_a_text_of_the_users_does_not_name_it(tiny: ModelSpec) -> None:
    bare = html(_report(Choice(tiny, "The lamp is lit at dusk.", OWN))).decode()
    assert "The keeper" not in bare and "The lamp" not in bare and sha256(OWN.encode()).hexdigest() in bare
    assert samples()[0].title in html(_report(Choice(tiny, samples()[0].title, OWN))).decode()
