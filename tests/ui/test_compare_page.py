"""The Compare page: a model against itself, against another text, and under a measure of its own."""

from typing import Any

import pandas as pd
import pytest

from attn_core.ui.widgets import show
from tests.families import Folder
from tests.ui.pages import healthy, opened

pytestmark = pytest.mark.model
PAGE = "pages/8_Compare.py"
OPEN = {"open-curves": "true", "open-head-match": "true"}


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> dict[str, pd.DataFrame]:
    """Every table of the page, by name."""
    seen: dict[str, pd.DataFrame] = {}

    def note(table: pd.DataFrame, name: str, _provenance: dict[str, Any]) -> None:
        seen[name] = table

    monkeypatch.setattr(show, "csv_button", note)
    return seen


@pytest.fixture
def tiny(tiny_folder: Folder) -> dict[str, str]:
    """The address of a tiny model and a short text."""
    return {"model": str(tiny_folder("bert")), "text": "A refrain"}


def test_a_model_against_itself_differs_by_exactly_nothing(
    tables: dict[str, pd.DataFrame], tiny: dict[str, str]
) -> None:
    app = opened(PAGE, b_control="none", **OPEN, **tiny)
    assert healthy(app)
    assert (tables["differences"]["difference"].dropna().abs() < 1e-9).all()  # NaN: no noise
    matches = tables["best-matches"]
    assert (matches[["layer", "head"]].to_numpy() == matches[["best_layer", "best_head"]].to_numpy()).all()
    assert set(tables["curves"]["subject"]) == {"bert", "bert, again"}
    assert {metric.label: metric.value for metric in app.metric}["Each other's best match"] == "100%"


def test_another_text_is_compared_but_not_matched(tables: dict[str, pd.DataFrame], tiny: dict[str, str]) -> None:
    app = opened(PAGE, b_control="none", b_text="Pronouns", **OPEN, **tiny)
    assert healthy(app)
    assert any("read different texts" in caption.value for caption in app.caption)
    assert "best-matches" not in tables
    assert not (tables["differences"]["difference"] == 0).all()


def test_a_model_that_is_not_here_leaves_the_copy_in_its_place(tiny: dict[str, str]) -> None:
    app = opened(PAGE, b_model="nobody/nothing", b_control="none", **tiny)
    assert not app.exception
    assert "not on this machine" in app.warning[0].value.replace("\\", "")
    assert any("Rank correlation" in caption.value for caption in app.caption)


def test_a_model_that_reads_the_text_in_fewer_windows_shows_its_last(tiny_folder: Folder) -> None:
    app = opened(PAGE, model=str(tiny_folder("bert")), window="8", b_model=str(tiny_folder("t5")), b_control="none")
    assert healthy(app)
    assert any("windows: its last one stands beside" in caption.value for caption in app.caption)


def test_a_model_without_some_heads_stands_beside_the_whole_one(
    tables: dict[str, pd.DataFrame], tiny: dict[str, str]
) -> None:
    app = opened(PAGE, b_off="L2H1 L9", b_replace="zero", **OPEN, **tiny)
    assert not app.exception
    (warning,) = app.warning
    assert "There is no L9 in this model" in warning.value
    assert app.selectbox(key="b_control").value == "none"  # the model as it is but for its heads
    assert set(tables["curves"]["subject"]) == {"bert", "bert, without L2H1 (zero)"}
    differences = tables["differences"].groupby("depth")["difference"].apply(lambda of: of.abs().max())
    assert differences.iloc[0] < 1e-9 < differences.iloc[-1]  # what lies before the head is as it was
