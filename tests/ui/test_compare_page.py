"""The Compare page: a model against itself, against another text, and under a measure of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from attn_core.texts.documents import samples
from attn_core.ui.compare.comparing import _in_common
from attn_core.ui.widgets import show
from tests.ui.test_pages import healthy, opened

pytestmark = pytest.mark.model
PAGE = "pages/7_Compare.py"


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> dict[str, pd.DataFrame]:
    """Every table of the page, by name."""
    seen: dict[str, pd.DataFrame] = {}

    def note(table: pd.DataFrame, name: str, _provenance: dict[str, Any]) -> None:
        seen[name] = table

    monkeypatch.setattr(show, "csv_button", note)
    return seen


def test_a_model_against_itself_differs_by_exactly_nothing(tables: dict[str, pd.DataFrame]) -> None:
    opens = {"open-curves": "true", "open-best-matches": "true"}
    app = opened(PAGE, b_control="none", more="all-MiniLM-L6-v2, untrained twin (seed 0)", **opens)
    assert healthy(app)
    assert (tables["differences"]["difference"] == 0).all()
    matches = tables["best-matches"]
    assert (matches[["layer", "head"]].to_numpy() == matches[["best_layer", "best_head"]].to_numpy()).all()
    assert len(set(tables["curves"]["subject"])) == 3
    assert {metric.label: metric.value for metric in app.metric}["Each other's best match"] == "100%"


def test_another_text_is_compared_but_not_matched(tables: dict[str, pd.DataFrame]) -> None:
    opens = {"open-curves": "true", "open-best-matches": "true"}
    app = opened(PAGE, b_control="none", b_numbers=samples()[1].title, **opens)
    assert healthy(app)
    assert any("read different texts" in caption.value for caption in app.caption)
    assert "best-matches" not in tables
    assert not (tables["differences"]["difference"] == 0).all()


def test_a_model_that_is_not_here_leaves_the_twin_in_its_place() -> None:
    app = opened(PAGE, b_model="nobody/nothing", b_control="none")
    assert not app.exception
    assert "not on this machine" in app.warning[0].value.replace("\\", "")
    assert any("Rank correlation" in caption.value for caption in app.caption)


def test_a_model_that_reads_the_text_in_fewer_windows_shows_its_last(tiny_folder: Callable[[str], Path]) -> None:
    app = opened(PAGE, model=str(tiny_folder("bert")), window="8", b_model=str(tiny_folder("t5")), b_control="none")
    assert healthy(app)
    assert any("windows: its last one stands beside" in caption.value for caption in app.caption)


def test_what_is_lacking_in_common_is_not_told_as_learned_by_nobody() -> None:
    verdicts = ["as in the paper", "as in the paper", "no clear sign", "unlike the paper"]
    shared = pd.DataFrame({"topic": ["Anchors", "Noise", "Reach", "Sentences"], "verdict": verdicts})
    told = _in_common(shared, 2)
    assert told.startswith("As in the paper in both: anchors, noise. What a control shows too was not learned.")
    assert "but not the paper's: reach (no clear sign), sentences (unlike the paper). Of what was learned" in told
    assert "learned" not in _in_common(shared[:0], 3)
    assert "control" not in _in_common(shared[2:], 3)
