"""The language of a text, detected by CLD2 (`pycld2`), with its stop words and a stemmer."""

import re
from collections.abc import Callable

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
WORDS = {
    "de": "der die das und ist nicht ein eine zu den dem mit sich auf von im auch es war als wie aber noch nach wird "
    "ich er sie",
    "fr": "le les des et est une un dans que qui pour pas sur au du ce il elle nous vous avec plus par sont mais ne se",
    "es": "el los las y es una un en que de por con para no se su al lo como pero más fue son del ella muy está",
    "it": "il gli di che è un una per non si con del della sono ma come anche più nel al lo questo era dei alla le",
    "nl": "het een en van is niet dat op te met zijn voor aan ook maar er was hij zij ze bij door naar om als dit",
    "pt": "o os as e é um uma de que do da em para não com se por mais como mas ao foi dos na no ele ela são",
    "pl": "i w nie na się z do jest to że jak po co tak za od ale był była przez już są tego przy dla oraz",
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


def little_words(language: str) -> frozenset[str]:
    """The stop words of a language: scikit-learn's for English and unknown languages, else the most common words."""
    if language in ("en", UNKNOWN):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # scikit-learn takes seconds to import

        return ENGLISH_STOP_WORDS
    return frozenset(WORDS.get(language, "").split())


def stemmer(language: str) -> Callable[[str], str]:
    """Snowball's stemmer for a language, the English one if it has none."""
    from nltk.stem.snowball import SnowballStemmer  # nltk takes most of a second to import

    name = NAMES.get(language, "").lower()
    return SnowballStemmer(name if name in SnowballStemmer.languages else "english").stem
