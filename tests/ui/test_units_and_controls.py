"""Pages over words, and under a control: they say so, and their tables record it."""

import pytest

from tests.ui.pages import healthy, opened

pytestmark = pytest.mark.model


@pytest.mark.parametrize(
    ("page", "address", "said"),
    [
        ("pages/1_Heads.py", {"unit": "words"}, "Counted over words"),
        ("pages/0_Home.py", {"unit": "words", "control": "shuffled text"}, "shuffled text"),
        ("pages/5_Segmentation.py", {"control": "shuffled text"}, "reorders tokens, not sentences"),
    ],
)
def test_a_page_says_what_stands_in_place_of_tokens_and_text(page: str, address: dict[str, str], said: str) -> None:
    app = opened(page, **address)
    assert healthy(app)
    assert any(said in caption.value for caption in app.caption)


def test_a_separated_layout_is_refused_for_a_shuffled_text() -> None:
    app = opened("pages/0_Home.py", control="shuffled text", layout="separated")
    assert not app.exception
    assert "no sentences to separate" in app.warning[0].value
