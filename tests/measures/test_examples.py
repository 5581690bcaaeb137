"""A pair in its text: both tokens marked, near each other in one piece, far apart in two."""

from dataclasses import replace

import pytest

from attn_core.measures.examples import pair_in_text, snippet
from attn_core.texts.documents import Document
from tests.measures.made_up import made_passage


def test_a_pair_is_shown_in_its_text_with_both_tokens_marked() -> None:
    passage = made_passage([0, 1, 3, 5] * 12, special=[0])
    for pair, tokens in (((1, 3), ["rope", "pier"]), ((1, 40), ["rope", "tide"]), ((0, 2), ["tide", "boat"])):
        pieces = pair_in_text(passage, *pair)
        assert [text for text, marked in pieces if marked] == tokens
        assert pieces[2][0].count("…") == (pair != (1, 3)), "one gap, but between near tokens of the text"
    assert "".join(text for text, _ in pair_in_text(passage, 1, 3)).startswith("tide rope boat pier tide")
    assert pair_in_text(passage, 0, 2)[0] == ("", False), "no text is around a special token"


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
def test_a_token_is_marked_in_the_text_around_it(text: str, token: str, shown: str) -> None:
    start = text.index(token)
    passage = made_passage([0])
    document = Document(text, ((0, len(text)),))
    starts, ends = passage.starts + start, passage.starts + start + len(token)
    assert snippet(replace(passage, document=document, starts=starts, ends=ends), 0, width=9) == shown
