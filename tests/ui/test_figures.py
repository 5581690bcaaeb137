"""What a figure says of itself when it travels alone: a title that a stranger understands, and only what is true of it."""

import re
from typing import Any

import pytest

from attn_core.charts.paper import Caption
from attn_core.texts.documents import samples
from attn_core.ui.widgets import downloads, show
from tests.families import Folder
from tests.ui.pages import ROOT, opened, quick_only_on

LONG = "Six topics of uneven length"  # in three windows
UNFOLDED = ("crop", "open-clusters", "open-series-heads", "open-drift-of-heads", "units")
CODE_NAMES = {
    name.replace("_", " ")
    for file in (ROOT / "attn_core" / "charts").glob("*.py")
    for name in (file.stem, *re.findall(r"^def (\w+)", file.read_text("utf-8"), re.MULTILINE))
}
pytestmark = pytest.mark.model


@pytest.fixture
def captions(monkeypatch: pytest.MonkeyPatch) -> list[Caption]:
    """The captions of all figures that a page can save."""
    made: list[Caption] = []

    def noted(*about: Any) -> Caption:
        made.append(Caption(*about))
        return made[-1]

    monkeypatch.setattr(downloads, "Caption", noted)
    return made


@pytest.fixture
def buttons(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The title of each figure of a page by the name of its file."""
    titles: dict[str, str] = {}
    monkeypatch.setattr(show, "figure_buttons", lambda _, name, about, __: titles.update({name: about.title}))
    return titles


def unfolded(page: str, **address: str) -> None:
    opened(page, **dict.fromkeys(UNFOLDED, "true") | address)


@pytest.mark.parametrize("page", quick_only_on("pages/2_Distances.py", "pages/8_Compare.py", without=("Corpus",)))
def test_every_figure_has_a_title_for_strangers(
    page: str, captions: list[Caption], buttons: dict[str, str], tiny_folder: Folder
) -> None:
    unfolded(page, model=str(tiny_folder("bert")), text="A refrain")
    assert buttons
    assert set(buttons.values()) <= {caption.title for caption in captions}
    for name, title in buttons.items():
        assert title.casefold() not in CODE_NAMES | {name.replace("-", " ")}, name
        assert len(title.split()) >= 3, title
    assert len(set(buttons.values())) == len(buttons) or "5_Segm" in page  # there A and B may be one method


def test_a_matrix_is_of_its_window_and_not_of_all_that_were_pooled(captions: list[Caption]) -> None:
    unfolded("pages/1_Heads.py", text=LONG, a="L3H10", b="L1H2")
    claims, matrices, *crops = captions
    assert "claims" in claims.title
    assert matrices.title == "Similarity and attention in L3H10 and L1H2"
    assert [re.sub(r"\d+ to \d+", "N to M", crop.title) for crop in crops] == [
        f"Context similarity of tokens in {head}, tokens N to M with N to M" for head in ("L3H10", "L1H2")
    ]
    for caption in (matrices, *crops):
        assert re.search(r", \d+ tokens, window 1 of 3, ", caption.note), caption.note
        assert "pooled" not in caption.note


def test_a_figure_of_several_shares_names_all_of_them(captions: list[Caption]) -> None:
    unfolded("pages/2_Distances.py", text="A refrain", **{"open-sensitivity": "true"})
    (several,) = [caption for caption in captions if "shares" in caption.title]
    assert several.title == "Mean distance by layer, for 5 shares of strongest pairs"
    assert "strongest 0.1, 0.3, 1, 3 and 10% of pairs" in several.note
    (one,) = {caption.note for caption in captions} - {several.note}
    assert "strongest 1% of pairs" in one


def test_segments_are_of_the_whole_text(captions: list[Caption]) -> None:
    unfolded("pages/5_Segmentation.py", text=LONG, window="1")
    _, strips, *_ = captions  # the first is that of the claims
    assert re.search(r"the whole text, \d+ sentences", strips.note)
    assert "window" not in strips.note and "strongest" not in strips.note


def test_a_figure_of_two_subjects_names_both(captions: list[Caption]) -> None:
    unfolded("pages/8_Compare.py", text=samples()[0].title)
    _, by_depth, *_ = captions  # the first is that of the claims
    of_four = (
        r"A: all-MiniLM-L6-v2; B: all-MiniLM-L6-v2, untrained twin \(seed 0\); "
        r"C: all-MiniLM-L6-v2, permuted twin \(seed 0\); D: all-MiniLM-L6-v2, shuffled text, "
    )
    assert re.match(of_four, by_depth.note), by_depth.note
    assert samples()[0].title in by_depth.note
