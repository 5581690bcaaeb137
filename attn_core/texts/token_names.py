"""Readable tokens: punctuation by its name, because a lone dot or comma is hard to see in the cell of a table."""

import unicodedata

NAMES = {"-": "hyphen", "'": "apostrophe", "/": "slash", "_": "underscore", "…": "ellipsis"}  # Unicode has others
PIECES = ("##", "▁")  # prefixes of vocabularies for a part of a word, and for a token after a blank


def readable(token: str) -> str:
    """The name of a punctuation mark, such as "full stop"; any other token unchanged.

    >>> readable("."), readable("##,"), readable("the"), readable("[SEP]")
    ('full stop', 'comma', 'the', '[SEP]')
    """
    return _name(token) or token


def quoted(token: str) -> str:
    """A token as a part of a sentence: in quotation marks, or by its name if it is punctuation.

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
