"""A token where it stands: the characters around it."""

import re

from attn_core.texts.passages import Passage

WIDTH = 28  # characters on either side


def snippet(passage: Passage, position: int, width: int = WIDTH) -> str:
    """The text around a token, the token in ‹ ›; a special token alone. Line ends become blanks.

    At most width characters on either side, in whole words, or less than a word where one is longer.
    """
    if passage.is_special[position]:
        return f"‹{passage.tokens[position]}›"
    text, start, end = passage.document.text, int(passage.starts[position]), int(passage.ends[position])
    after = _whole_words(text[end : end + width + 1], width)
    before = _whole_words(text[max(0, start - width - 1) : start][::-1], width)[::-1]
    left = "…" if start > len(before) else ""
    right = "…" if end + len(after) < len(text) else ""
    return " ".join(f"{left}{before}‹{text[start:end]}›{after}{right}".split())


def _whole_words(text: str, width: int) -> str:
    """The first characters of a text, at most width: without the word that is cut off there, unless it is all there is."""
    whole = re.match(rf"(?s).{{0,{width}}}(?=\s|\Z)", text)
    return whole.group() if whole and whole.group().strip() else text[:width]
