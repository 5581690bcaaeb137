"""The Segmentation page: any model, what C6 says, segments as the screen counts them."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attn_core.segmentation import Segmentation
from attn_core.texts.documents import GOLD_MARK, read_document
from attn_core.ui.segmentation.segmenting import _threshold_ends
from tests.families import Folder
from tests.ui import pages


def opened(**address: str) -> AppTest:
    return pages.opened("pages/5_Segmentation.py", **address)


@pytest.mark.parametrize("family", ["t5", "gpt2"])
def test_a_model_without_a_separator_token_has_segments_too(tiny_folder: Folder, family: str) -> None:
    app = opened(model=str(tiny_folder(family)), **{"open-rules": "true"})
    assert not app.error
    assert sum("**Separators.**" in block.value for block in app.markdown) == 1


def test_the_layout_moves_what_the_claim_says_and_not_the_segments(tiny_folder: Folder) -> None:
    address = {"model": str(tiny_folder("bert")), "text": "A refrain", "open-segments": "true"}
    address["open-rules"] = "true"
    apps = [opened(**address, layout=layout) for layout in ("plain", "separated")]
    plain, separated = (next(block.value for block in app.markdown if "**Separators.**" in block.value) for app in apps)
    assert plain != separated
    plain, separated = (next(each.value for each in app.dataframe if "first" in each.value) for app in apps)
    assert plain.equals(separated)


def test_a_method_is_said_to_be_measured_on_what_it_was_measured_on(tiny_folder: Folder) -> None:
    titles = {"method_a": "Optimal partition, in context", "method_b": "Block scores with depth"}
    app = opened(model=str(tiny_folder("bert")), **titles, **{"open-gold-scores": "true"})
    told = [caption.value for caption in app.caption if "Mean Pk of this method" in caption.value]
    alone, all_three = told
    assert "pasted texts 0." in alone and "lectures" not in alone
    assert all(f"{kind} 0." in all_three for kind in ("pasted texts", "textbook chapters", "lectures"))


@pytest.mark.parametrize(
    ("scores", "threshold", "ends"),
    [([0.0, 0.0], 0.0, None), ([0.2, 0.2], None, None), ([0.0, 0.5], 0.0, (0.0, 0.5)), ([0.1, 2.0], 0.5, (0.0, 2.0))],
)
def test_a_threshold_is_offered_where_one_makes_a_difference(
    scores: list[float], threshold: float | None, ends: tuple[float, float] | None
) -> None:
    segmentation = Segmentation("block_depth", np.array(scores), (), threshold, "method", None)
    assert _threshold_ends(segmentation) == ends


@pytest.mark.parametrize(
    ("segment", "sentences"),
    [("One rose. Two fell.\n\nThree stayed. Four went.", 4), ("One rose\nTwo fell\nThree stayed", 3)],
    ids=["paragraphs", "one sentence a line"],
)
def test_gold_texts_are_read_as_the_page_says(tiny_folder: Folder, segment: str, sentences: int) -> None:
    app = opened(model=str(tiny_folder("bert")), text="A refrain")
    (said,) = [info.value for info in app.info if "no gold boundaries" in info.value]
    assert "may be paragraphs, or one sentence a line" in said
    document = read_document(f"{segment}\n{GOLD_MARK}\n{segment}")
    assert (len(document.sentences), document.gold) == (2 * sentences, (sentences,))
