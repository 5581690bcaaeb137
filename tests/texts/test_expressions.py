"""Expressions that a user types: what RE2 takes, in every alphabet; the rest is refused in one sentence, at once."""

import resource
import time

import pytest

from attn_core.errors import InputError
from attn_core.texts.expressions import first_group, matching_words

WORDS = ("The", "Über", "äpfel", "12", "١٢", "don't", "C++", "x_1", "-", "[", "]", "日本")

REFUSED = {
    "a repeat": "(?:ab){99999999}",
    "a megabyte": "a" * 1_000_000,
    "a reference": r"(a)\1",
    "a word boundary": r"\bthe\b",
    "none for other letters": r"[\W]",
    "left open": "(",
    "a backslash": "\\",
    "half a character": "\ud800",
}

MATCHED = {
    r"\w+": ["The", "Über", "äpfel", "12", "١٢", "x_1", "日本"],
    r"[\w']+": ["The", "Über", "äpfel", "12", "١٢", "don't", "x_1", "日本"],
    r"[^\w]+": ["-", "[", "]"],
    r"\d+": ["12", "١٢"],
    r"[]\d]+": ["12", "١٢", "]"],
    r"[a[]|\w_\d": ["x_1", "["],
    r"[\]]|\w{3}": ["The", "x_1", "]"],
    r"[[:digit:]\w]+_\d": ["x_1"],
    r"\Q\w\E|\[": ["["],
    "(?i)ÜBER|ÄPFEL": ["Über", "äpfel"],
    r"\p{Lu}\w*": ["The", "Über"],
    r"\p{Han}+": ["日本"],
}


@pytest.mark.parametrize("expression", REFUSED.values(), ids=REFUSED)
def test_what_re2_does_not_take_is_refused_in_one_sentence_at_once(expression: str) -> None:
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for call in (lambda: matching_words(expression, WORDS), lambda: first_group(expression, "page 12")):
        with pytest.raises(InputError, match=r"(?s)^.{,300}that RE2 takes"):
            call()
    assert time.monotonic() - began < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


@pytest.mark.parametrize(("expression", "words"), MATCHED.items())
def test_classes_know_every_alphabet(expression: str, words: list[str]) -> None:
    assert [WORDS[at] for at in matching_words(expression, WORDS)] == words


def test_what_is_taken_takes_linear_time() -> None:
    began = time.monotonic()
    assert matching_words("|".join(f"word{number}" for number in range(200_000)), ["word7", "word"]) == [0]
    assert matching_words("(a|aa)+b|(a*)*b", ["a" * 100_000] * 5) == []
    assert matching_words("(?:.?){1000}", ["tide"] * 1_000) == list(range(1_000))
    assert time.monotonic() - began < 5


def test_the_first_group_is_what_is_found() -> None:
    assert first_group(r"(.*?)[ _-]*\d+", "Übung 12.txt") == "Übung"
    assert first_group("page", "page 1") is None
    assert first_group("(x)|page", "page 1") is None
