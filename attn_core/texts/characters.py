"""The words of a text and the ends of its sentences, found from characters alone, without a model.

A word is a run of letters, digits and marks, with apostrophes (don't), soft hyphens and joiners of no width inside it.
Any other visible character is a word of its own.
"""

import re
import unicodedata
from functools import lru_cache

import numpy as np

# Thai, Lao, Tibetan, Myanmar, Khmer, kana, Han. Korean and Vietnamese separate words by blanks.
UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
APOSTROPHES = "'’"
HYPHENS = frozenset("-\u2010\u2011\u058a\u05be\ufe63\uff0d")  # with that of Armenian and of Hebrew; no dashes
JOINERS = "\u00ad\u200c\u200d\u2060"  # soft hyphen, zero-width non-joiner and joiner, word joiner
_NO_JOINERS = dict.fromkeys(map(ord, JOINERS))
# Unicode's sentence terminals of the scripts in use, without the Burmese comma; the ellipsis, and Tibetan's shad.
SENTENCE_FINAL = frozenset(
    ".!?…‼‽⁇⁈⁉⸮。！．？｡︒︕︖﹒﹖﹗\u037e"  # the Greek question mark
    "։؝؞؟۔܀܁܂߹।॥།༎။።፧፨។៕᠃᠉᙮᜵᜶᥄᥅᪨᪩᪪᪫᭚᭛᭞᭟᰻᰼᱾᱿꓿꘎꘏꛳꛷꣎꣏꤯꧈꧉꩝꩞꩟꫰꫱꯫"
)
OF_LANGUAGE = {"el": frozenset(";")}  # the question mark of Greek keyboards
QUOTES = frozenset("\"'")


def word_spans(text: str) -> np.ndarray:
    """The start and end of each word, and whether its script separates no words by blanks, (3, words)."""
    pattern = _pattern("".join(sorted(c for c in set(text) if _is_mark(c))))
    spans = [(*match.span(), match.lastgroup == "unspaced") for match in pattern.finditer(text)]
    return np.array(spans, dtype=np.int64).reshape(-1, 3).T


def word_end(text: str, end: int) -> int:
    """The end of a word, after the marks that follow its last letter; a tokenizer may leave them out."""
    while end < len(text) and _is_mark(text[end]):
        end += 1
    return end


def in_word(character: str) -> bool:
    """Whether a character can be a part of a longer word."""
    return character.isalnum() or character in JOINERS or _is_mark(character)


def bare(word: str) -> str:
    """The word without its invisible joiners, an accent and its letter as one character (Unicode's NFC)."""
    return unicodedata.normalize("NFC", word.translate(_NO_JOINERS))


def ends_sentence(surface: str, language: str) -> bool:
    """Whether a token ends a sentence; closing quotes and brackets may follow the mark: ``.``, ``?"``, ``.)``."""
    final = SENTENCE_FINAL | OF_LANGUAGE.get(language, frozenset())
    rest = set(surface) - final
    closes = ("Pe", "Pf", "Pi")  # “ opens in English, closes in German
    return len(rest) < len(set(surface)) and all(unicodedata.category(one) in closes for one in rest - QUOTES)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")  # accents, vowel signs


@lru_cache(maxsize=64)
def _pattern(marks: str) -> re.Pattern[str]:
    """The pattern of words in a text with these combining marks, which Python's \\w does not match."""
    unspaced = f"[{UNSPACED}{marks}]"
    letter = f"(?:(?![{UNSPACED}])[^\\W_]{f'|[{marks}]' if marks else ''})"
    inside = f"(?:[{APOSTROPHES}]|[{JOINERS}]+)"
    return re.compile(
        f"(?P<unspaced>[{UNSPACED}](?:{unspaced}|[{JOINERS}](?={unspaced}))*)|{letter}+(?:{inside}{letter}+)*|\\S"
    )
