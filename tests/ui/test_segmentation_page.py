"""The Segmentation page: any model, attention to separators, segments as the screen counts them."""

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.segmentation import paragraph_ends
from attn_core.texts.documents import read_document, samples
from tests.families import Folder
from tests.ui import pages


def opened(**address: str) -> AppTest:
    return pages.opened("pages/5_Segmentation.py", **address)


@pytest.mark.parametrize("family", ["t5", "gpt2"])
def test_a_model_without_a_separator_token_has_segments_too(tiny_folder: Folder, family: str) -> None:
    app = opened(model=str(tiny_folder(family)), **{"open-segments": "true"})
    assert not app.error and not app.exception
    assert any("first_sentence" in each.value.columns for each in app.dataframe)


def test_the_layout_moves_the_attention_to_separators_and_not_the_segments(tiny_folder: Folder) -> None:
    address = {"model": str(tiny_folder("bert")), "text": "A refrain", "open-segments": "true"}
    address["open-separators"] = "true"
    apps = [opened(**address, layout=layout) for layout in ("plain", "separated")]
    plain, separated = (app.get("vega_lite_chart")[-1].proto.alt for app in apps)
    assert plain != separated
    plain, separated = (next(each.value for each in app.dataframe if "first_sentence" in each.value) for app in apps)
    assert plain.equals(separated)


def test_boundaries_keep_paragraphs_unless_more_segments_are_asked_for(tiny_folder: Folder) -> None:
    """The refrain has four paragraphs."""
    address = {
        "model": str(tiny_folder("bert")), "text": "A refrain", "method_a": "Even cuts", "number_a": "set by hand",
        "open-segments": "true",
    }  # fmt: skip

    def firsts(app: AppTest) -> list[int]:
        table = next(each.value for each in app.dataframe if "first_sentence" in each.value.columns)
        return table.loc[table["method"] == "Even cuts", "first_sentence"].tolist()

    (sample,) = (sample for sample in samples() if sample.title == address["text"])
    ends = paragraph_ends(read_document(sample.text))
    app = opened(**address, segments_a="4")
    assert firsts(app) == [1, *(end + 1 for end in ends)]
    assert not any("too few" in caption.value for caption in app.caption)
    app.slider(key="segments_a").set_value(5).run()
    assert len(firsts(app)) == 5
    assert any("The text has 4 paragraphs, too few for 5 segments" in caption.value for caption in app.caption)
    app.slider(key="segments_a").set_value(2).run()
    assert firsts(app)[1] - 1 in ends
