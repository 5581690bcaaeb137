"""A pair in its text: both tokens marked, near each other in one piece, far apart in two."""

from dataclasses import replace

import pytest

from attn_core.measures.examples import pair_in_text, snippet
from attn_core.texts.documents import Document
from attn_core.texts.passages import Passage
from tests.measures.made_up import made_passage


def test_a_pair_is_shown_in_its_text_with_both_tokens_marked() -> None:
    passage = made_passage([0, 1, 3, 5] * 12, special=[0])
    near = pair_in_text(passage, 1, 3)
    assert [text for text, marked in near if marked] == ["rope", "pier"]
    assert "".join(text for text, _ in near).startswith("tide rope boat pier tide")
    far = pair_in_text(passage, 1, 40)
    assert [text for text, marked in far if marked] == ["rope", "tide"]
    assert far[2][0].count("…") == 1
    special = pair_in_text(passage, 0, 2)
    assert special[0] == ("", False)
    assert special[1] == ("tide", True)


def standing_in(text: str, token: str) -> Passage:
    """A passage of one token of a text."""
    start = text.index(token)
    passage = made_passage([0])
    return replace(
        passage,
        document=Document(text, ((0, len(text)),)),
        starts=passage.starts + start,
        ends=passage.starts + start + len(token),
    )


@pytest.mark.parametrize(
    ("text", "token", "shown"),
    [
        ("The tide rose.", "tide", "The ‹tide› rose."),
        ("tide", "tide", "‹tide›"),
        ("one two three four five sixty", "four", "…three ‹four› five …"),
        ("one two three, four five sixty", ",", "…three‹,› four …"),
        ("12345678 tide 12345678", "tide", "12345678 ‹tide› 12345678"),
        ("The\n\ntide\trose", "tide", "The ‹tide› rose"),
    ],
)
def test_a_token_stands_between_marks_in_the_text_around_it(text: str, token: str, shown: str) -> None:
    assert snippet(standing_in(text, token), 0, width=9) == shown
