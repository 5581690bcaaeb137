"""Punctuation has a name on the screen; whatever else a token is stays as it is."""

import pytest

from attn_core.texts.token_names import quoted, readable

READ = {
    ".": "full stop", ",": "comma", "?": "question mark", "!": "exclamation mark", ":": "colon", ";": "semicolon",
    "-": "hyphen", "—": "em dash", "'": "apostrophe", '"': "quote", "“": "left double quote", "(": "left bracket",
    ")": "right bracket", "/": "slash", "…": "ellipsis", "¿": "inverted question mark", "。": "ideographic full stop",
    "##.": "full stop", "▁,": "comma", " ,": "comma", "##": "##", "▁": "▁", "...": "...", "$": "$", "#1": "#1",
    "the": "the", "##ing": "##ing", "[SEP]": "[SEP]", "</s>": "</s>", "": "",
}  # fmt: skip


@pytest.mark.parametrize(("token", "read"), READ.items())
def test_punctuation_is_named_and_nothing_else(token: str, read: str) -> None:
    assert readable(token) == read
    assert quoted(token) == (f"“{token}”" if token == read else f"the {read}")
