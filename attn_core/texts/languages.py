"""The language of a text, detected by CLD2 (`pycld2`), with its stop words and a stemmer."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pycld2

from attn_core.errors import TextError, check_type

AUTO = "auto"
UNKNOWN = "und"  # ISO 639: undetermined; such a text is split by the rules for English
CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
NEW_CODES = {"iw": "he", "jw": "jv", "un": UNKNOWN}  # for codes of CLD2 that ISO 639 has replaced
NAMES = {  # of the languages that CLD2 detects, by code
    NEW_CODES.get(code, code): name.replace("_", " ").title()
    for name, code in sorted(pycld2.LANGUAGES, key=lambda language: language[1])
    if name in pycld2.DETECTED_LANGUAGES and not name.startswith("X_")  # a script, Klingon, Pig Latin
} | {"zh-Hant": "Chinese (traditional)", "nn": "Norwegian Nynorsk"}
SAMPLE = 20_000  # characters by which the language is detected
ELIDED = {  # words that lose their vowel before another word, as in l'eau
    "fr": "l d j m t s n c qu jusqu lorsqu puisqu quoiqu",
    "it": "l d c m t s v un all dall dell nell sull coll quest quell dev gl agl dagl degl negl sugl",
    "ca": "l d m t s n",
}


def language_of(text: str) -> str:
    """The code of a text's language, `UNKNOWN` if CLD2 is not sure."""
    readable = "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text[:SAMPLE])
    reliable, _, found = pycld2.detect(readable.encode("utf-8", "replace"), isPlainText=True)
    code = NEW_CODES.get(found[0][1], found[0][1])
    return code if reliable and code in NAMES else UNKNOWN


def checked_language(code: str, text: str) -> str:
    """The language code by which to split a text; "auto" detects it. Raises TextError for an invalid code."""
    check_type(code, str, "A language code")
    if code == AUTO:
        return language_of(text)
    if not CODE.fullmatch(code):
        raise TextError(f"{code[:40]!a} is no language code: give one such as en or de, or {AUTO}.")
    return code


def is_known(code: str) -> bool:
    """Whether a code is that of a known language, with or without a region (pt, pt-BR)."""
    return bool(CODE.fullmatch(code)) and code.partition("-")[0] in {*NAMES, "nb"}


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language: scikit-learn's for English and unknown languages, else the most common words."""
    if language in ("en", UNKNOWN):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # scikit-learn takes seconds to import

        return ENGLISH_STOP_WORDS | {"let"}  # as in let's
    lists = json.loads(Path(__file__).with_name("stop_words.json").read_text("utf-8"))
    return frozenset(lists.get(language, "").split())


def is_little(word: str, language: str) -> bool:
    """Whether a word is a stop word of a language, or one with another joined to it (don't, I'm)."""
    little, folded = stop_words(language), word.casefold().replace("’", "'")
    return folded in little or folded.endswith("n't") or ("'" in folded and folded.partition("'")[0] in little)


def without_elision(word: str, language: str) -> str:
    """The word without an elided one before its apostrophe: eau of l'eau in French."""
    elided, apostrophe, rest = word.replace("’", "'").partition("'")
    return word[-len(rest) :] if rest and elided.casefold() in ELIDED.get(language, "").split() else word


def stemmer(language: str) -> Callable[[str], str]:
    """Snowball's stemmer for a language, the English one if it has none."""
    from nltk.stem.snowball import SnowballStemmer  # nltk takes most of a second to import

    name = NAMES.get(language, "").lower()
    return SnowballStemmer(name if name in SnowballStemmer.languages else "english").stem
