"""Which language a text is in, as far as sentence ends depend on it: by its script, and by its commonest little words.

Our own, since the libraries for it weigh 1 to 150 MB or carry pickled models, and tell apart languages whose sentences
end alike. A text without a sign of any of these languages counts as English.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable

from attn_core import given
from attn_core.errors import TextError

AUTO = "auto"
CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
# ISO 639-1. sentencex has rules of some of them, and for the others those that suit most.
ISO_639_1 = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo
es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg
ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn
no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta
te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
NAMES = {  # of the languages that are told apart
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "nl": "Dutch", "pt": "Portuguese",
    "pl": "Polish", "ru": "Russian", "ar": "Arabic", "he": "Hebrew", "hi": "Hindi", "ja": "Japanese", "zh": "Chinese",
}  # fmt: skip
SAMPLE = 20_000  # characters that tell the language
SCRIPTS = {
    "CYRILLIC": "ru", "ARABIC": "ar", "HEBREW": "he", "DEVANAGARI": "hi", "HIRAGANA": "ja", "KATAKANA": "ja", "CJK": "zh",
}  # fmt: skip
WORDS = {
    "en": "the of and to in that is was it for with he she his her as had but not they you at be this have from which",
    "de": "der die das und ist nicht ein eine zu den dem mit sich auf von im auch es war als wie aber noch nach wird ich er sie",
    "fr": "le les des et est une un dans que qui pour pas sur au du ce il elle nous vous avec plus par sont mais ne se",
    "es": "el los las y es una un en que de por con para no se su al lo como pero más fue son del ella muy está",
    "it": "il gli di che è un una per non si con del della sono ma come anche più nel al lo questo era dei alla le",
    "nl": "het een en van is niet dat op te met zijn voor aan ook maar er was hij zij ze bij door naar om als dit",
    "pt": "o os as e é um uma de que do da em para não com se por mais como mas ao foi dos na no ele ela são",
    "pl": "i w nie na się z do jest to że jak po co tak za od ale był była przez już są tego przy dla oraz",
}
_LANGUAGES_OF = {
    word: [code for code, words in WORDS.items() if word in words.split()]
    for word in {word for words in WORDS.values() for word in words.split()}
}
STEMMERS = {"de": "german", "fr": "french", "es": "spanish", "it": "italian", "nl": "dutch", "pt": "portuguese"}


def language_of(text: str) -> str:
    """The code of a text's language, of those in `SCRIPTS` and `WORDS`."""
    start = text[:SAMPLE]
    scripts = Counter(unicodedata.name(letter, "UNNAMED").split()[0] for letter in start if letter.isalpha())
    if not scripts:
        return "en"
    if scripts["HIRAGANA"] + scripts["KATAKANA"] > scripts["CJK"] / 10:  # Japanese writes Chinese characters too
        scripts["HIRAGANA"] += scripts.pop("CJK", 0)
    script = scripts.most_common(1)[0][0].split("-")[0]
    if script in SCRIPTS:
        return SCRIPTS[script]
    hits: Counter[str] = Counter()
    for word in re.findall(r"\w+", start.lower()):
        for code in _LANGUAGES_OF.get(word, []):
            hits[code] += 1
    return max(WORDS, key=lambda code: hits[code])


def checked_language(code: str, text: str) -> str:
    """The language to split a text by: the text's own where the code is "auto". Raises TextError for what is no code."""
    given.name(code, "A language code")
    if code == AUTO:
        return language_of(text)
    if not CODE.fullmatch(code):
        raise TextError(f"{code[:40]!a} is no language code: give one such as en or de, or {AUTO}.")
    return code


def little_words(language: str) -> frozenset[str]:
    """Words that name nothing: scikit-learn's list for English, else the commonest ones of the language."""
    if language == "en":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # scikit-learn takes seconds to import

        return ENGLISH_STOP_WORDS
    return frozenset(WORDS.get(language, "").split())


def stemmer(language: str) -> Callable[[str], str]:
    """Snowball's stemmer of a language, the English one where it has none."""
    from nltk.stem.snowball import SnowballStemmer  # nltk takes most of a second to import

    return SnowballStemmer(STEMMERS.get(language, "english")).stem
