"""Pages of models that are unusual: with long windows, of several stacks."""

import re
from pathlib import Path

import pytest
import transformers as hf
from streamlit.testing.v1 import AppTest

from attn_core.models.files import STACKS, ModelSpec
from tests.families import ENCODER, READS_LONG, Family, Folder, save_tiny
from tests.ui.pages import NO_TEXT, PAGES, healthy, opened, quick_only_on, shown

TEXT = "A refrain"  # of 841 tokens
AXIS = re.compile(r'"title": ?"([^"]*)"')


@pytest.fixture(scope="module")
def both(stacks_folder: Folder) -> str:
    return str(stacks_folder("t5"))


@pytest.mark.usefixtures("tiny_default")
def test_a_model_without_head_a_has_another(tiny: ModelSpec, tmp_path: Path) -> None:
    deeper = save_tiny(tmp_path / "deeper", Family(hf.BertConfig, ENCODER | {"num_hidden_layers": 5}))
    app = opened("pages/0_Home.py", model=str(deeper), text=TEXT, a="L5H1")
    assert app.selectbox(key="a").value == "L5H1"
    app.selectbox(key="model").set_value(tiny.name).run()
    assert healthy(app) and app.query_params["a"] == app.selectbox(key="a").value != "L5H1"


def windows(app: AppTest) -> int:
    assert healthy(app)
    shown = [box.label for box in app.selectbox if box.key == "window"]
    return int(re.search(r"of (\d+)", shown[0])[1]) if shown else 1  # type: ignore[index]


@pytest.mark.long
def test_the_address_holds_the_length_of_windows_and_the_choice_changes_how_the_text_is_cut(tmp_path: Path) -> None:
    model = str(save_tiny(tmp_path / "modernbert", READS_LONG["modernbert"]))
    app = opened("pages/2_Distances.py", model=model, text=TEXT, window_tokens="128")
    assert app.selectbox(key="window_tokens").options == ["128", "256", "512", "1024", "2048", "4096"]
    many = windows(app)
    fewer = windows(app.selectbox(key="window_tokens").set_value("512").run())
    assert many > fewer > windows(app.selectbox(key="window_tokens").set_value("1024").run()) == 1


@pytest.mark.long
def test_the_stack_is_chosen_where_a_model_has_several(both: str) -> None:
    app = opened("pages/0_Home.py", model=both, text=TEXT)
    assert app.button_group(key="stack").options == list(STACKS)
    for stack, says in (("decoder", "**, decoder, causal, on"), ("cross", "**, cross-attention, on")):
        app.button_group(key="stack").set_value(stack).run()
        assert healthy(app) and any(says in block.value for block in app.markdown)


@pytest.mark.parametrize("page", quick_only_on("pages/1_Heads.py", without=NO_TEXT))
def test_every_page_shows_a_stack_of_a_link(page: str, both: str) -> None:
    stack = STACKS[1 + PAGES.index(page) % 2]
    app = opened(page, model=both, text=TEXT, stack=stack, **({"maps": "attention"} if "Heads" in page else {}))
    assert not app.exception and not app.error
    assert app.button_group(key="stack").value == stack


@pytest.mark.parametrize("page", quick_only_on("pages/2_Distances.py", without=NO_TEXT))
def test_every_page_shows_words(page: str, tiny: ModelSpec) -> None:
    app = opened(page, model=tiny.name, text=TEXT, unit="words")
    titles = " ".join(title for chart in app.get("vega_lite_chart") for title in AXIS.findall(chart.proto.spec))
    assert shown(app).unit == "words" and "tokens" not in titles and ("words" in titles or "Distances" not in page)


def test_a_stack_that_the_model_has_not_is_said(tiny: ModelSpec) -> None:
    app = opened("pages/0_Home.py", model=tiny.name, text=TEXT, stack="cross")
    assert healthy(app)
    assert any(caption.value.endswith("has one stack and no cross beside it.") for caption in app.caption)
