"""Excerpts of text around one token or the two tokens of a pair."""

from attn_core.texts.passages import Passage

AROUND = 32  # characters shown on either side of a token
Piece = tuple[str, bool]  # text, and whether it is a token of the pair
Pair = tuple[Passage, int, int]  # passage, first, second


def pair_in_text(passage: Passage, first: int, second: int, around: int = AROUND) -> list[Piece]:
    """The text around a pair in five pieces: before, first token, between, second token, after."""
    before, one, after = _stretch(passage, first, around)
    before_two, two, after_two = _stretch(passage, second, around)
    gap = passage.starts[second] - passage.ends[first]
    if not passage.is_special[[first, second]].any() and 0 <= gap <= 2 * around:
        between = passage.document.text[passage.ends[first] : passage.starts[second]]
        return [(before, False), (one, True), (between, False), (two, True), (after_two, False)]
    between = f"{after.removesuffix(' …')} … {before_two.removeprefix('…')}"
    return [(before, False), (one, True), (between, False), (two, True), (after_two, False)]


def _stretch(passage: Passage, position: int, around: int) -> tuple[str, str, str]:
    """The text before a token, the token, and the text after it; a special token has no text around it."""
    if passage.is_special[position]:
        return "", passage.tokens[position], ""
    text, start, end = passage.document.text, int(passage.starts[position]), int(passage.ends[position])
    before, after = text[max(0, start - around) : start], text[end : end + around]
    if start > around:
        before = "…" + before[before.find(" ") + 1 :]
    if end + around < len(text) and " " in after:
        after = after[: after.rfind(" ")] + " …"
    return before, text[start:end], after


WIDTH = 28  # characters on either side


def snippet(passage: Passage, position: int, width: int = WIDTH) -> str:
    """The text around a token, with the token in ‹ › and line ends replaced by blanks."""
    before, token, after = _stretch(passage, position, width)
    return " ".join(f"{before}‹{token}›{after}".split())
