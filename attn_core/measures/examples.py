"""Pairs to read: which strong pairs stand for a head, and both tokens of a pair in the text around them."""

from collections.abc import Callable, Sequence

import numpy as np

from attn_core.head import Head
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage

AROUND = 32  # characters shown on either side of a token
Piece = tuple[str, bool]  # a piece of text, and whether it is one of the tokens of a pair
Pair = tuple[Passage, int, int]  # where, first, second


def strongest_examples(
    windows: Sequence[StrongPairs], head: Head, shows: Callable[[StrongPairs], np.ndarray], number: int = 3
) -> list[Pair]:
    """The strongest pairs of a head that show something: passage, first, second. shows: which of its pairs do, (K,) bool.

    Pairs of tokens that were not shown yet come first, so that three examples are not three times the same.
    """
    examples = []
    for window in windows:
        first, second = window.first[head], window.second[head]
        shown = np.flatnonzero(shows(window))
        ids = np.sort(window.passage.token_ids[np.stack([first[shown], second[shown]], axis=1)], axis=1)
        new = np.zeros(len(shown), dtype=bool)
        new[np.unique(ids, axis=0, return_index=True)[1]] = True
        for at in np.argsort(~new, kind="stable")[:number]:
            k = shown[at]
            examples.append((not new[at], -window.similarity[head][k], window.passage, int(first[k]), int(second[k])))
    return [pair[2:] for pair in sorted(examples, key=lambda pair: pair[:2])[:number]]


def pair_in_text(passage: Passage, first: int, second: int, around: int = AROUND) -> list[Piece]:
    """Both tokens of a pair in the text around them, as five pieces; two stretches of text where they are far apart."""
    before, one, after = _stretch(passage, first, around)
    before_two, two, after_two = _stretch(passage, second, around)
    gap = passage.starts[second] - passage.ends[first]
    if not passage.is_special[[first, second]].any() and 0 <= gap <= 2 * around:
        between = passage.document.text[passage.ends[first] : passage.starts[second]]
        return [(before, False), (one, True), (between, False), (two, True), (after_two, False)]
    between = f"{after.removesuffix(' …')} … {before_two.removeprefix('…')}"
    return [(before, False), (one, True), (between, False), (two, True), (after_two, False)]


def _stretch(passage: Passage, position: int, around: int) -> tuple[str, str, str]:
    """The text before a token, the token, the text after it; a special token stands alone."""
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
    """The text around a token, the token in ‹ ›; a special token alone. Line ends become blanks."""
    before, token, after = _stretch(passage, position, width)
    return " ".join(f"{before}‹{token}›{after}".split())
