"""Windows of another length on the pages: the choice in the sidebar, and a text that one long window holds."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.models.files import ModelSpec
from tests.families import READS_LONG, save_tiny
from tests.ui.pages import NO_TEXT, healthy, opened, quick_only_on

LONG = "A refrain"  # 841 of its tokens


@pytest.fixture(scope="module")
def long_model(tmp_path_factory: pytest.TempPathFactory) -> ModelSpec:
    folder: Path = save_tiny(tmp_path_factory.mktemp("long") / "modernbert", READS_LONG["modernbert"])
    return ModelSpec(str(folder), window_tokens=4096)


def windows(app: AppTest) -> int:
    assert healthy(app)
    shown = [box.label for box in app.selectbox if box.key == "window"]
    return int(re.search(r"of (\d+)", shown[0])[1]) if shown else 1  # type: ignore[index]


def test_the_address_holds_the_choice_and_the_choice_changes_how_the_text_is_cut(long_model: ModelSpec) -> None:
    app = opened("pages/0_Home.py", model=long_model.name, text=LONG, window_tokens="128")
    many = windows(app)
    app.selectbox(key="window_tokens").set_value("256").run()
    fewer = windows(app)
    app.selectbox(key="window_tokens").set_value("512").run()
    assert many > fewer > windows(app)


@pytest.mark.parametrize("page", quick_only_on("pages/2_Distances.py", without=NO_TEXT))
def test_a_long_text_is_one_window_on_every_page(page: str, long_model: ModelSpec) -> None:
    app = opened(page, model=long_model.name, text=LONG, window_tokens="1024")
    assert windows(app) == 1
    assert app.selectbox(key="window_tokens").options == ["128", "256", "512", "1024", "2048", "4096"]
