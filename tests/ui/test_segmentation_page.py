"""The Segmentation page: any model, attention to separators, segments as the screen counts them."""

import re

import pytest
from streamlit.testing.v1 import AppTest

import attn_core
from attn_core.models.files import ModelSpec
from attn_core.segmentation import SentenceOutputs, segment
from attn_core.texts.documents import read_document
from tests.families import Folder
from tests.ui import pages
from tests.ui.pages import text_of


def opened(**address: str) -> AppTest:
    return pages.opened("pages/5_Segmentation.py", **address)


@pytest.mark.parametrize("family", ["t5", "gpt2"])
def test_a_model_without_a_separator_token_has_segments_too(tiny_folder: Folder, family: str) -> None:
    app = opened(model=str(tiny_folder(family)), **{"open-segments": "true"})
    assert not app.error and not app.exception
    assert any("first_sentence" in each.value.columns for each in app.dataframe)


def test_the_text_is_in_the_segments_of_the_partition_that_is_chosen(tiny: ModelSpec) -> None:
    """The six topics have gold boundaries: four strips, each with its number of segments."""
    address = {"model": tiny.name, "text": "Six topics of uneven length"}
    outputs = SentenceOutputs(attn_core.load(ModelSpec(address["model"])), read_document(text_of(address["text"])))
    numbers = [len(segment(name, outputs)) + 1 for name in ("partition", "partition_heads", "separator_attention")]
    app = opened(**address)
    described = app.get("vega_lite_chart")[0].proto.alt
    assert re.findall(r"\((\d+)\)", described) == ["6", *map(str, numbers)]
    for of_heads, number in zip((False, True), numbers, strict=False):
        app.toggle(key="heads_alone").set_value(of_heads).run()
        text = next(html.value for html in app.get("html") if "border-left" in html.value)
        assert text.count("border-left") == number
