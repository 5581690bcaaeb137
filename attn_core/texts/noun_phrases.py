"""Which words of a run can name something: noun phrases without verbs, by the part of speech of each word.

A phrase is adjectives and participles, then nouns, adjectives and gerunds, a noun at its end; after a plural a phrase is over
("kittiwakes nest"); a gerund may end it after another word ("image processing"). English words are tagged from the lexicon
that TextBlob brings along. German nouns are known by their capital, adjectives before them by their ending. In other languages
every word passes, since nothing here tells a verb.
"""

import re
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any

# Adjective, noun in the singular, noun in the plural, gerund, participle of the past, other.
KINDS = {"JJ": "j", "JJR": "j", "JJS": "j", "NN": "n", "NNP": "n", "NNPS": "n", "NNS": "s", "VBG": "g", "VBN": "p"}
PHRASE = re.compile(r"[jns]+g(?![jns])|[jp]*[jng]*[ns]")
GERMAN_ADJECTIVE = re.compile(r"\w+e[nmrs]?")
GERMAN_PRONOUN = re.compile(
    r"(ihr|sein|mein|dein|unse?r|eue?r|kein|dies|jed|jen|manch|welch|all|viel|wenig|ander|beid)e[nmrs]?"
)
_READING = Lock()


def kinds_of_words(sentence: Sequence[str], language: str) -> str:
    """A letter a word of one sentence: j(adjective), n(oun), s (nouns), g(erund), p(articiple), o(ther)."""
    if language == "en":
        return "".join(_letter(word, tag) for word, tag in _english().find_tags(list(sentence)))
    return "".join(map(_german if language == "de" else lambda _: "n", sentence))


def noun_phrases(kinds: str) -> list[slice]:
    """Where the phrases of a run stand; kinds: the letters of its words."""
    return [slice(*phrase.span()) for phrase in PHRASE.finditer(kinds)]


@cache
def _english() -> Any:
    """TextBlob's tagger with its lexicon read: it reads it at the first question, and a second thread would see half of it."""
    from textblob.en import parser

    with _READING:
        len(parser.lexicon)
    return parser


def _letter(word: str, tag: str) -> str:
    """The kind of an English word; data and media, plurals without an s, go before other nouns like a singular."""
    letter = KINDS.get(tag.partition("-")[0], "o")
    return "n" if letter == "s" and not word.endswith("s") else letter


def _german(word: str) -> str:
    """p for what may be an adjective: before the first noun of a phrase, not after it, where it is a verb."""
    if word[0].isupper():
        return "n"
    return "p" if GERMAN_ADJECTIVE.fullmatch(word) and not GERMAN_PRONOUN.fullmatch(word) else "o"
