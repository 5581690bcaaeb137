"""The stacks of an encoder-decoder on the pages."""

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.models.files import STACKS
from tests.families import Folder
from tests.ui.pages import NO_TEXT, PAGES, healthy, opened, quick_only_on

SHORT = "A refrain"


@pytest.fixture(scope="module")
def both(stacks_folder: Folder) -> str:
    return str(stacks_folder("t5"))


def badge(app: AppTest) -> str:
    (told,) = [block.value for block in app.markdown if "When loaded" in block.value]
    return told


def test_the_stack_is_chosen_where_a_model_has_several(both: str) -> None:
    app = opened("pages/0_Home.py", model=both, text=SHORT)
    assert healthy(app)
    assert app.button_group(key="stack").options == list(STACKS)
    assert "3 layers x 4 heads" in badge(app) and "**, encoder" in badge(app)
    for stack, kind in (("decoder", "decoder, causal"), ("cross", "cross-attention")):
        app.button_group(key="stack").set_value(stack).run()
        assert healthy(app)
        assert f"**, {kind}, on" in badge(app) and "2 layers x 4 heads" in badge(app)


@pytest.mark.parametrize("page", quick_only_on("pages/1_Heads.py", without=NO_TEXT))
def test_every_page_shows_a_stack_of_a_link(page: str, both: str) -> None:
    stack = STACKS[1 + PAGES.index(page) % 2]
    app = opened(page, model=both, text=SHORT, stack=stack, **({"maps": "attention"} if "Heads" in page else {}))
    assert not app.exception and not app.error
    assert app.button_group(key="stack").value == stack


def test_a_stack_that_the_model_has_not_is_said(tiny_folder: Folder) -> None:
    app = opened("pages/0_Home.py", model=str(tiny_folder("bert")), text=SHORT, stack="cross")
    assert healthy(app)
    assert any(caption.value.endswith("has one stack and no cross beside it.") for caption in app.caption)
    assert not [each for each in app.button_group if each.key == "stack"]
