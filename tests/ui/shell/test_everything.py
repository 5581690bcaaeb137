"""Everything in one archive: findings with their numbers, keywords, figures, the text's title, one format."""

import io
import json

import altair as alt
import pandas as pd
import pytest

import attn_core
from attn_core.charts.paper import Caption
from attn_core.columns.dictionary import provenance_column, table_of
from attn_core.findings.robustness import SoFar, verdicts
from attn_core.findings.verdicts import findings
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import samples
from attn_core.ui.choice import Choice
from attn_core.ui.shell.everything import archive
from attn_core.ui.widgets.downloads import SavedFigure

pytestmark = pytest.mark.model
TEXT = next(sample for sample in samples() if sample.title == "A refrain")


def test_the_archive_holds_what_the_page_says_with_its_numbers() -> None:
    results = attn_core.analyze(TEXT.text)
    choice = Choice(results.reading.model.spec, TEXT.title, TEXT.text)
    words = Settings(unit="words")
    known = SoFar({settings: verdicts([results.reading], settings) for settings in (choice.settings, words)})
    chart = alt.LayerChart(layer=[alt.Chart(pd.DataFrame({"x": [1]})).mark_point().encode(x="x:Q")], height=100)
    figures = {"one": SavedFigure(chart, Caption("One point of a chart", "a text", {}), 400)}
    files = archive(results, choice, "CSV", figures, known)
    assert {"heads.csv", "keywords.csv", "findings.csv", "figures/one.svg"} <= files.keys()
    assert not any(name.endswith(".parquet") for name in files)
    table = pd.read_csv(io.BytesIO(files["findings.csv"])).set_index("effect")
    for finding in findings(results):
        if effect := finding.effect:
            row = table.loc[effect.bars.words]
            assert (row["claim"], row["verdict"]) == (finding.claim, finding.verdict)
            assert row[["value", "chance"]].astype(float).tolist() == pytest.approx([effect.value, effect.chance])
    assert table["firm"].str.contains("over words").any()
    assert set(table["measure"]) == {"dot"}
    about = json.loads(files["provenance.json"])
    assert (about["title"], about["measure"]) == ("A refrain", "scalar product")
    assert len(pd.read_csv(io.BytesIO(files["keywords.csv"]))) > 0
    for name in (name for name in files if name.endswith(".csv")):
        table, columns = name.removesuffix(".csv"), pd.read_csv(io.BytesIO(files[name])).columns
        of = table_of(table, "printed" if table == "keywords" else "text")
        own = [one.removeprefix("provenance_") for one in columns if of.column(one) is None]
        assert [one for one in own if provenance_column(one) is None] == [], name
    both = archive(results, choice, "both", {}, known)
    assert {"findings.csv", "findings.parquet"} <= both.keys()
