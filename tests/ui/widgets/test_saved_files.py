"""What leaves the dashboard: an archive of tables, and a report."""

import io
from hashlib import sha256
from pathlib import Path
from typing import Literal

import pandas as pd
import pytest

import attn_core
from attn_core.columns.dictionary import in_markdown
from attn_core.io.tables import checked_provenance
from attn_core.models.files import ModelSpec
from attn_core.report.document import html
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.texts.documents import samples
from attn_core.ui.readings import Choice
from attn_core.ui.shell.sidebar import _files as tables_of
from attn_core.ui.shell.sidebar import _report
from attn_core.ui.widgets.show import archived
from tests.columns.described import described, table_of
from tests.places import assert_no_places
from tests.study.made_up import write_corpus

OWN = "The lamp is lit at dusk. The keeper climbs the stair, and the lamp turns. Nobody sees the lamp <b>go</b> out."
TEXT = next(sample for sample in samples() if sample.title == "A refrain")


@pytest.mark.parametrize("kind", ["text", "study"])
def test_every_column_of_an_archive_is_described_and_no_file_says_where_it_was_made(
    kind: Literal["text", "study"], tiny: ModelSpec, tmp_path: Path
) -> None:
    corpus = Corpus(str(write_corpus(tmp_path / "texts")))
    if kind == "study":
        files = archived(run_study(corpus, tiny, tmp_path / "study", StudySettings()).files(), "A study")
    else:
        files = archived(tables_of(attn_core.analyze(TEXT.text, tiny)), TEXT.title)
    for place in (tmp_path, Path(tiny.name)):
        assert_no_places(files, place)
    tables = {name.removesuffix(".csv") for name in files if name.endswith(".csv")}
    assert tables and all(f"{table}.parquet" in files for table in tables)
    for table in tables:
        of = table_of(table, "printed" if table == "keywords" else kind)
        columns = pd.read_csv(io.BytesIO(files[f"{table}.csv"])).columns
        assert [one for one in columns if described(of, one) is None] == [], table
    assert files["columns.md"].decode() == in_markdown()
    (tmp_path / "unpacked").mkdir()
    for name, data in files.items():
        (tmp_path / "unpacked" / name).write_bytes(data)
    assert checked_provenance(tmp_path / "unpacked")["files"].keys() == files.keys() - {"provenance.json"}


@pytest.mark.long
def test_the_report_of_a_text_of_the_users_does_not_name_it(tiny: ModelSpec) -> None:
    bare = html(_report(Choice(tiny, "The lamp is lit at dusk.", OWN))).decode()
    assert "The keeper" not in bare and "The lamp" not in bare and sha256(OWN.encode()).hexdigest() in bare
    assert samples()[0].title in html(_report(Choice(tiny, samples()[0].title, OWN))).decode()
