"""Windows of another length on the pages: the choice in the sidebar, and a text that one long window holds."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attn_core.head import Head
from attn_core.models.capture import attention_maps
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.texts.documents import read_document, samples
from attn_core.texts.passages import read_passages
from attn_core.ui.components.matrix_panel import rastered
from attn_core.ui.components.packed import BLANK
from tests.families import save_tiny
from tests.models.test_windows import FAMILIES
from tests.ui.pages import NO_TEXT, healthy, opened, quick_only_on

LONG, LONGER = "A refrain", "A dialogue on the stairs"  # 841 and 1,179 of its tokens


@pytest.fixture(scope="module")
def long_model(tmp_path_factory: pytest.TempPathFactory) -> ModelSpec:
    folder: Path = save_tiny(tmp_path_factory.mktemp("long") / "modernbert", FAMILIES["modernbert"])
    return ModelSpec(str(folder), window_tokens=4096)


def windows(app: AppTest) -> int:
    assert healthy(app)
    shown = [box.label for box in app.selectbox if box.key == "window"]
    return int(re.search(r"of (\d+)", shown[0])[1]) if shown else 1  # type: ignore[index]


def test_the_address_holds_the_choice_and_the_choice_changes_how_the_text_is_cut(long_model: ModelSpec) -> None:
    app = opened("dashboard.py", model=long_model.name, text=LONG, window_tokens="128")
    many = windows(app)
    assert any("windows of 128" in expander.label for expander in app.expander)
    assert any("windows of 128 tokens" in caption.value for caption in app.caption)
    app.selectbox(key="window_tokens").set_value("256").run()
    fewer = windows(app)
    app.selectbox(key="window_tokens").set_value("512").run()
    assert many > fewer > windows(app)
    assert not any("windows of" in expander.label for expander in app.expander)


@pytest.mark.parametrize("page", quick_only_on("pages/2_Distances.py", without=NO_TEXT))
def test_a_long_text_is_one_window_on_every_page(page: str, long_model: ModelSpec) -> None:
    app = opened(page, model=long_model.name, text=LONG, window_tokens="1024")
    assert windows(app) == 1
    assert app.selectbox(key="window_tokens").options == ["128", "256", "512", "1024", "2048", "4096"]


@pytest.mark.long
def test_maps_of_a_long_window_are_rasters_and_attention_is_of_the_heads_that_are_shown(
    long_model: ModelSpec, sent: list[dict[str, Any]]
) -> None:
    address = {"model": long_model.name, "text": LONGER, "window_tokens": "4096"}
    assert healthy(opened("pages/1_Heads.py", **address, a="L1H2", b="L2H3"))
    sample = next(sample for sample in samples() if sample.title == LONGER)
    model = load(long_model)
    (passage,) = read_passages(read_document(sample.text, sample.language), model.tokenizer, model.max_tokens)
    data = next(data for data in sent if len(data["panels"]) == 4)
    assert data["block"] == -(-len(passage) // 1024) > 1
    expected = attention_maps(model, passage, [Head(0, 1), Head(1, 2)])
    for panel, attention in zip(data["panels"][2:], expected, strict=True):
        points = rastered(attention.numpy())
        low, high = panel["range"]
        shown = low + panel["codes"].reshape(points.shape) * (high - low) / (BLANK - 1)
        np.testing.assert_allclose(shown, points, atol=1e-4)
        assert "Seen whole, a point is the maximum of" in panel["note"]
