"""Rules that find word pairs in a text that has no annotation.

To add a rule, add a function and a line to `RULES`.
"""

import random
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, islice, pairwise
from pathlib import Path
from typing import Literal

from attn_core.errors import InputError
from attn_core.similarity.words import Words
from attn_core.texts.characters import bare
from attn_core.texts.expressions import matching_words
from attn_core.texts.languages import is_little, stemmer, stop_words
from attn_core.texts.passages import Passage

# Days, months, feasts and nationalities.
NO_NAMES = frozenset(Path(__file__).with_name("no_names.txt").read_text("utf-8").lower().split())
Pairs = list[tuple[int, int]]
Direction = Literal["forward", "backward", "either"]
PRONOUNS = frozenset({"she", "her", "hers", "herself", "he", "him", "his", "himself"})
OPENING = {"(": ")", "[": "]", "{": "}", "“": "”", "„": "“", "«": "»", "‹": "›"}
STRAIGHT = frozenset('"')
QUOTING = STRAIGHT | frozenset("“„«»‹›")
NUMBER = re.compile(r"[\d.,]*\d[\d.,]*%?")
NEGATIONS = frozenset({"not", "never", "nicht", "nie"})
MOST_PAIRS = 5000  # of a rule in one window, limited by memory


@dataclass(frozen=True)
class TextWords:
    """The W words of a window as written, and the sentence of each (-1 for none). language: its code."""

    words: tuple[str, ...]
    sentences: tuple[int, ...]
    language: str = "en"

    @classmethod
    def of(cls, passage: Passage, words: Words) -> "TextWords":
        """The words of a window."""
        text, language = passage.document.text, passage.document.language
        spans = zip(words.starts.tolist(), words.ends.tolist(), strict=True)
        first = dict(zip(words.words[::-1].tolist(), words.tokens[::-1].tolist(), strict=True))
        sentences = tuple(int(passage.sentences[first[word]]) for word in range(len(words)))
        return cls(tuple(bare(text[start:end]) for start, end in spans), sentences, language)

    def __len__(self) -> int:
        return len(self.words)


def same_word(text: TextWords) -> Pairs:
    """Each word and its last occurrence before, in upper or lower case."""
    places = defaultdict[str, list[int]](list)
    for at, word in enumerate(text.words):
        if _is_word(word):
            places[word.casefold()].append(at)
    return sorted((after, before) for same in places.values() for before, after in pairwise(same))


def other_form(text: TextWords) -> Pairs:
    """Each word and the last other word of the same stem before it (tide, tides)."""
    stem = stemmer(text.language)
    last: dict[str, dict[str, int]] = {}
    pairs = []
    for at, word in enumerate(map(str.casefold, text.words)):
        if not _is_word(word) or len(word) < 3:
            continue
        forms = last.setdefault(stem(word), {})
        if others := [place for form, place in forms.items() if form != word]:
            pairs.append((at, max(others)))
        forms[word] = at
    return pairs


def brackets(text: TextWords) -> Pairs:
    """An opening bracket or quotation mark and the one that closes it."""
    opened: list[tuple[str, int]] = []
    pairs = []
    for at, word in enumerate(text.words):
        closes = next((number for number in range(len(opened) - 1, -1, -1) if opened[number][0] == word), None)
        if closes is not None:
            pairs.append((opened[closes][1], at))
            del opened[closes:]
        elif word in OPENING or word in STRAIGHT:
            opened.append((OPENING.get(word, word), at))
    return pairs


def pronoun_and_name(text: TextWords) -> Pairs:
    """A pronoun (he, she, ...) and the nearest name before it: a capitalised word that does not occur in lower case."""
    named, pairs = list(names_in(text)), []
    for at, word in enumerate(text.words):
        if word.casefold() in PRONOUNS and (before := bisect_left(named, at)):
            pairs.append((at, named[before - 1]))
    return pairs


def names_in(text: TextWords) -> Iterator[int]:
    """The positions of names.

    A name is a capitalised word that does not begin a sentence or a quotation, does not occur in lower case, and is not
    a function word. Days, months and nationalities count only directly after a name (Dawn French).
    """
    common = {word for word in text.words if word[:1].islower()} | stop_words(text.language)
    opening = {a + 1 for a, _ in brackets(text) if text.words[a] in QUOTING}
    named = False
    for at in range(1, len(text)):
        word = text.words[at]
        inside = text.sentences[at - 1] == text.sentences[at] and at not in opening
        capital = len(word) > 1 and word[0].isupper() and word.lower() not in common
        named = inside and capital and (named or not _is_no_name(word))
        if named:
            yield at


def _is_no_name(word: str) -> bool:
    """Whether a capitalised word is in `NO_NAMES`, also in the plural (Saturdays) or genitive (March's)."""
    singular = word.lower().replace("’", "'").removesuffix("'s")
    return singular in NO_NAMES or singular.removesuffix("s") in NO_NAMES


def names(text: TextWords) -> Pairs:
    """A name and the last other name before it."""
    return _with_the_last_other(text, list(names_in(text)))


def punctuation(text: TextWords) -> Pairs:
    """A punctuation mark and the last other mark before it."""
    return _with_the_last_other(text, [at for at, word in enumerate(text.words) if not any(map(str.isalnum, word))])


def numbers(text: TextWords) -> Pairs:
    """A number and the number before it."""
    places = [at for at, word in enumerate(text.words) if NUMBER.fullmatch(word)]
    return list(zip(places[1:], places[:-1], strict=True))


def negations(text: TextWords) -> Pairs:
    """A negation and the word after it, in the same sentence: mostly the verb in English."""
    pairs = []
    for at, word in enumerate(text.words[:-1]):
        negates = word.casefold() in NEGATIONS or word.casefold().replace("’", "'").endswith("n't")
        if negates and text.sentences[at + 1] == text.sentences[at] and _is_word(text.words[at + 1]):
            pairs.append((at, at + 1))
    return pairs


def often_together(text: TextWords) -> Pairs:
    """Two content words that share a sentence at least twice, in different sentences; words of one stem are the same.

    Of more than `MOST_PAIRS` pairs, as many are drawn at random, the same ones each time.
    """
    stem = stemmer(text.language)
    places, of_sentence = defaultdict[str, list[int]](list), defaultdict[int, set[str]](set)
    for at, word in enumerate(map(str.casefold, text.words)):
        if len(word) > 1 and _is_word(word) and not is_little(word, text.language) and text.sentences[at] >= 0:
            key = stem(word)
            places[key].append(at)
            of_sentence[text.sentences[at]].add(key)
    found_in = Counter(key for keys in of_sentence.values() for key in keys)
    repeated = {key for key, sentences in found_in.items() if sentences > 1}
    shared = Counter(pair for keys in of_sentence.values() for pair in combinations(sorted(keys & repeated), 2))
    together = [(places[first], places[second]) for (first, second), sentences in shared.items() if sentences > 1]
    ends = [0, *accumulate(len(firsts) * len(seconds) for firsts, seconds in together)]
    pairs = []
    for number in random.Random(0).sample(range(ends[-1]), min(ends[-1], MOST_PAIRS)):
        block = bisect_right(ends, number) - 1
        firsts, seconds = together[block]
        first, second = divmod(number - ends[block], len(seconds))
        earlier, later = sorted((firsts[first], seconds[second]))
        if text.sentences[earlier] != text.sentences[later]:
            pairs.append((later, earlier))
    return sorted(pairs)


RULES: dict[str, Callable[[TextWords], Pairs]] = {
    "Same word again": same_word,
    "Same word in another form": other_form,
    "Opening and closing bracket or quotation mark": brackets,
    "Pronoun and the name before it": pronoun_and_name,
    "Name and another name before it": names,
    "Punctuation mark and another before it": punctuation,
    "Number and the number before it": numbers,
    "Negation and the word after it": negations,
    "Words that often share a sentence, standing apart": often_together,
}
BY_NAME = {rule.__name__: label for label, rule in RULES.items()}  # label of each rule by its name in commands


@dataclass(frozen=True)
class OwnRule:
    """Rule whose pairs are words that fully match two regular expressions.

    direction: of the second word from the first. farthest: largest distance in words. within: only pairs in one
    sentence. different: no pairs of equal words, which are similar in any head.
    """

    first: str
    second: str
    direction: Direction = "forward"
    farthest: int = 20
    within: bool = True
    different: bool = False

    def pairs(self, text: TextWords) -> Pairs:
        """The pairs in a text. Raises InputError for an invalid expression, and for more than `MOST_PAIRS` pairs."""
        pairs = list(islice(self._pairs(text), MOST_PAIRS + 1))
        if len(pairs) > MOST_PAIRS:
            raise InputError(f"The rule finds over {MOST_PAIRS:,} pairs: narrow its expressions or its distance.")
        return pairs

    def _pairs(self, text: TextWords) -> Iterator[tuple[int, int]]:
        firsts, seconds = (matching_words(expression, text.words) for expression in (self.first, self.second))
        before = 0 if self.direction == "forward" else self.farthest
        after = 0 if self.direction == "backward" else self.farthest
        for a in firsts:
            for b in seconds[bisect_left(seconds, a - before) : bisect_right(seconds, a + after)]:
                together = not self.within or text.sentences[a] == text.sentences[b]
                alike = self.different and text.words[a].casefold() == text.words[b].casefold()
                if a != b and together and not alike:
                    yield a, b


MarkedPairs = tuple[tuple[int, int], ...]
Pattern = str | OwnRule | MarkedPairs  # label of a rule, a rule of the user, or marked pairs


def pairs_of(pattern: Pattern, text: TextWords) -> Pairs:
    """The pairs of a pattern in a window; marked pairs outside of it are left out. Raises as `OwnRule.pairs`."""
    if isinstance(pattern, str):
        return RULES[pattern](text)
    if isinstance(pattern, OwnRule):
        return pattern.pairs(text)
    return [(a, b) for a, b in pattern if a != b and max(a, b) < len(text)]


def _with_the_last_other(text: TextWords, places: Sequence[int]) -> Pairs:
    """Each position paired with the last one before it whose word differs."""
    pairs, other = [], None
    for before, at in zip(places, places[1:], strict=False):
        other = before if text.words[before] != text.words[at] else other
        if other is not None and text.words[other] != text.words[at]:
            pairs.append((at, other))
    return pairs


def _is_word(word: str) -> bool:
    return any(map(str.isalpha, word))
