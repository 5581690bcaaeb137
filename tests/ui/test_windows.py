"""A text of several windows: what needs one window names it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import attn_core
from attn_core.analysis.one_text import Analysis
from attn_core.head import Head
from attn_core.measures.comparison import side_by_side, strongest_in_context
from attn_core.texts.documents import samples
from attn_core.ui.widgets import show
from tests.ui.pages import opened

SAMPLE = next(sample for sample in samples() if sample.file == "six_topics.txt")  # in three windows
A, B = Head(2, 9), Head(0, 1)
pytestmark = pytest.mark.model
Tables = dict[str, tuple[pd.DataFrame, dict[str, Any]]]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Tables:
    """Every table that a page has shown, with its provenance."""
    tables: Tables = {}
    monkeypatch.setattr(show, "csv_button", lambda table, name, of: tables.update({name: (table, dict(of))}))
    return tables


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return attn_core.analyze(SAMPLE.text, language=SAMPLE.language)


def test_heads_shows_a_window_by_its_name_beside_numbers_of_all(shown: Tables, analysis: Analysis) -> None:
    folds = {"open-statistics-of-two-heads": "true", "open-strongest": "true"}
    app = opened("pages/1_Heads.py", text=SAMPLE.title, a=str(A), b=str(B), **folds)
    table, provenance = shown["statistics-of-two-heads"]
    expected = side_by_side(analysis.heads, A, B)[table.columns]
    np.testing.assert_allclose(table["difference"].astype(float), expected["difference"].astype(float), equal_nan=True)
    assert provenance["windows"] == "1 to 3"
    for number in (1, 3):
        (chooser,) = [box for box in app.selectbox if box.key == "shown"]
        assert (chooser.label, chooser.options) == ("Window shown, of 3", ["1", "2", "3"])
        app = chooser.set_value(str(number)).run()
        table, provenance = shown["strongest-a"]
        pd.testing.assert_frame_equal(table, strongest_in_context(analysis.windows[number - 1], A))
        assert (provenance["windows"], provenance["window"]) == ("1 to 3", number)
        assert any(f"similarity matrices in window {number} of 3" in one.value for one in app.markdown)


def test_patterns_shows_a_window_by_its_name_and_scores_all(
    shown: Tables, analysis: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    monkeypatch.setattr(
        "attn_core.ui.components.pair_marker.pair_marker", lambda words, *_, **__: texts.append(" ".join(words[:4]))
    )
    app = opened("pages/6_Patterns.py", text=SAMPLE.title, shown="2")
    start = int(analysis.reading.passages[1].starts[1])
    assert analysis.reading.document.text[start:].startswith(texts[-1])
    assert [box.label for box in app.selectbox if box.key == "shown"] == ["Window shown, of 3"]
    assert any("Pairs of these windows are scored: 1, 2, 3." in caption.value for caption in app.caption)
    pairs, provenance = shown["pattern-pairs"]
    assert set(pairs["window"]) == {1, 2, 3} and provenance["windows"] == "1, 2, 3"
