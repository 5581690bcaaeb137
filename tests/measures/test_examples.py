"""A pair in its text: both tokens marked, near each other in one piece, far apart in two."""

from attn_core.measures.examples import pair_in_text
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
