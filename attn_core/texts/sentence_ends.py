"""Which tokens of a text end a sentence."""

import unicodedata

# Unicode's sentence terminals of the scripts in use, without the Burmese comma; the ellipsis, and Tibetan's shad.
SENTENCE_FINAL = frozenset(
    ".!?…‼‽⁇⁈⁉⸮。！．？｡︒︕︖﹒﹖﹗\u037e"  # the Greek question mark
    "։؝؞؟۔܀܁܂߹।॥།༎။።፧፨។៕᠃᠉᙮᜵᜶᥄᥅᪨᪩᪪᪫᭚᭛᭞᭟᰻᰼᱾᱿꓿꘎꘏꛳꛷꣎꣏꤯꧈꧉꩝꩞꩟꫰꫱꯫"
)
OF_LANGUAGE = {"el": frozenset(";")}  # Greek keyboards write its question mark so
QUOTES = frozenset("\"'")


def ends_sentence(surface: str, language: str) -> bool:
    """Whether a token is the end of a sentence, with the quotation marks and brackets that close there: ``.``, ``?"``, ``.)``."""
    final = SENTENCE_FINAL | OF_LANGUAGE.get(language, frozenset())
    rest = set(surface) - final
    return len(rest) < len(set(surface)) and all(map(_closes, rest))


def _closes(mark: str) -> bool:
    return mark in QUOTES or unicodedata.category(mark) in ("Pe", "Pf", "Pi")  # “ opens in English and closes in German
