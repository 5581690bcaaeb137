"""Tokens as people read them: punctuation by its name, because a lone dot or comma is hardly seen in a cell."""

import unicodedata

NAMES = {"-": "hyphen", "'": "apostrophe", "/": "slash", "_": "underscore", "…": "ellipsis"}  # Unicode has others
PIECES = ("##", "▁")  # what vocabularies write before a part of a word, or after a blank


def readable(token: str) -> str:
    """The name of a punctuation mark, "full stop"; any other token unchanged.

    >>> readable("."), readable("##,"), readable("the"), readable("[SEP]")
    ('full stop', 'comma', 'the', '[SEP]')
    """
    return _name(token) or token


def quoted(token: str) -> str:
    """A token for use in a sentence: in quotation marks, but a punctuation mark by its name.

    >>> quoted("the"), quoted(".")
    ('“the”', 'the full stop')
    """
    name = _name(token)
    return f"the {name}" if name else f"“{token}”"


def _name(token: str) -> str:
    bare = token.strip()
    for mark in PIECES:
        bare = bare.removeprefix(mark) or bare
    if len(bare) != 1 or not unicodedata.category(bare).startswith("P"):
        return ""
    of_unicode = unicodedata.name(bare, "").lower()
    return NAMES.get(bare) or of_unicode.replace("quotation mark", "quote").replace("parenthesis", "bracket")
