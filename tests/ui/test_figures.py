"""What a figure says of itself when it travels alone: a title that a stranger understands."""

import re

import pytest

from attn_core.ui.widgets import show
from tests.families import Folder
from tests.ui.pages import ROOT, opened, quick_only_on

UNFOLDED = ("crop", "open-clusters", "open-series-heads", "open-drift-of-heads", "units")
CODE_NAMES = {
    name.replace("_", " ")
    for file in (ROOT / "attn_core" / "charts").glob("*.py")
    for name in (file.stem, *re.findall(r"^def (\w+)", file.read_text("utf-8"), re.MULTILINE))
}
pytestmark = pytest.mark.model


@pytest.fixture
def buttons(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The title of each figure of a page by the name of its file."""
    titles: dict[str, str] = {}
    monkeypatch.setattr(show, "figure_buttons", lambda _, name, title: titles.update({name: title}))
    return titles


def unfolded(page: str, **address: str) -> None:
    opened(page, **dict.fromkeys(UNFOLDED, "true") | address)


@pytest.mark.parametrize("page", quick_only_on("pages/2_Distances.py", "pages/8_Compare.py", without=("Corpus",)))
def test_every_figure_has_a_title_for_strangers(page: str, buttons: dict[str, str], tiny_folder: Folder) -> None:
    unfolded(page, model=str(tiny_folder("bert")), text="A refrain")
    assert buttons
    for name, title in buttons.items():
        assert title.casefold() not in CODE_NAMES | {name.replace("-", " ")}, name
        assert len(title.split()) >= 3, title
    assert len(set(buttons.values())) == len(buttons) or "5_Segm" in page  # there A and B may be one method
