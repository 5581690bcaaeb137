"""The language of a text, detected by CLD2 (`pycld2`), with its stop words and a stemmer."""

import re
from collections.abc import Callable
from functools import cache

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
    "de": "der die das und ist nicht ein eine zu den dem mit sich auf von im auch es war als wie aber noch nach "
    "wird ich er sie wir ihr du man des einer einen einem eines oder um so nur bei aus wenn dass hat haben "
    "hatte sind sein seine ihre ihm ihn ihnen kann für über unter vor bis durch in an am zum zur vom da doch "
    "schon sehr kein keine",
    "fr": "le la les de des et est une un dans que qui pour pas sur au aux du ce il elle nous vous avec plus par "
    "sont mais ne se on ils elles je tu me te lui leur en y à où ou si son sa ses mon ma mes ton ta tes notre "
    "votre cette ces cet car comme même tout tous été était sera ai as a ont sans sous entre très être avoir "
    "fait dont puis donc",
    "es": "el la los las y es una un en que de por con para no se su al lo como pero más fue son del ella muy está "
    "yo tú él nos me te le les sus mi si sí o ni ya sin sobre entre hasta desde cuando donde este esta esto "
    "ese esa eso era ser hay han ha todo todos también porque unos unas",
    "it": "il la le i di che è un una uno per non si con del della sono ma come anche più nel al lo questo era dei "
    "alla gli io tu lui lei noi voi loro mi ti ci vi ne me te se o e ed in da dal dalla su sul sulla tra fra "
    "suo sua suoi questa quello quella essere ha hanno ho nella delle degli ai alle molto tutto tutti dove "
    "quando",
    "nl": "het een en van is niet dat op te met zijn voor aan ook maar er was hij zij ze bij door naar om als dit "
    "de in ik je jij we wij u hem haar hun die deze nog dan wel of uit over tot heeft hebben had worden wordt "
    "werd kan zo geen meer al onder",
    "pt": "o a os as e é um uma de que do da em para não com se por mais como mas ao foi dos na no ele ela são das "
    "nos nas eu tu nós eles elas me te lhe seu sua seus suas meu minha ou já sem sobre entre até quando onde "
    "este esta isso isto era ser está há muito também pelo pela à às",
    "pl": "i w nie na się z do jest to że jak po co tak za od ale był była przez już są tego przy dla oraz ja ty on "
    "ona ono my wy oni mi mnie mu go ją jego jej ich o u a ze we czy też tylko może być było były ten ta te "
    "który która które gdy pod nad przed bez tu tam",
}
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
def little_words(language: str) -> frozenset[str]:
    """The stop words of a language: scikit-learn's for English and unknown languages, else the most common words."""
    if language in ("en", UNKNOWN):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # scikit-learn takes seconds to import

        return ENGLISH_STOP_WORDS | {"let"}  # as in let's
    return frozenset(WORDS.get(language, "").split())


def is_little(word: str, language: str) -> bool:
    """Whether a word is a stop word of a language, or one with another joined to it (don't, I'm)."""
    little, folded = little_words(language), word.casefold().replace("’", "'")
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
