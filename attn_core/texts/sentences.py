"""The sentences of a text, found by sentencex, with rules for what it splits and joins wrongly."""

import re
from collections.abc import Sequence
from itertools import pairwise

import sentencex

LONG = 500  # characters; a longer sentence of sentencex may be several sentences
# Where sentencex ends a sentence but should not: after (1), and after an ordinal of German, "im 19. Jahrhundert".
NUMBERED = r"(?<!\S)[(\[](?=(?:\d{1,3}|[ivxl]{1,5}|[a-z])[)\]])"
ORDINAL = r"\b(?:a[mb]|im|vom|zu[mr]|beim|seit|d(?:er|ie|as|en|em|es)|\d{1,2}\.)\s+\d{1,2}\.(?=\s)"
NO_END = re.compile(NUMBERED, re.IGNORECASE)
NO_END_IN = {"de": re.compile(f"{NUMBERED}|{ORDINAL}", re.IGNORECASE)}
# Abbreviations by their shape, one letter (p.m.) or no vowel (kg), and others that are no words.
ABBREVIATION = (
    r"(?:[^\W\d_]|[b-df-hj-np-tv-xz]{2,5}|abb|abs|al|approx|av|avg|ca|chap|co|dept|ed|env|excl|exkl|figs?|ibid|incl|"
    "inkl|kap|op|orig|resp|usw|viz|vols?|jan|feb|apr|aug|sept?|oct|okt|nov|dec|dez)"
)
CONTINUED = re.compile(rf"(?:[)\]]\.?|\d\.|\b{ABBREVIATION}\.)\s*\Z", re.IGNORECASE)
NEAR = 40  # characters around a sentence end in which all of this stands
# Words at the end of a line: what sentencex may take for the mark of a number ("no"), or for an abbreviation ("me").
BEFORE_A_NUMBER = re.compile(rf"\b(?!{ABBREVIATION}\.)[^\W\d_]+\.[ \t]*\n\s*(?=\d)", re.IGNORECASE)
SHORT = re.compile(rf"\b(?!{ABBREVIATION}\.)[^\W\d_]{{2}}(?=\.[ \t]*\n)", re.IGNORECASE)
NO_QUOTES = dict.fromkeys(map(ord, "'\"`´‘’‚‛“”„‟‹›«»"), " ")
ONE_WAY = {0x37E: ";"}  # the Greek question mark, which has two code points

Span = tuple[int, int]


def line_spans(text: str) -> list[Span]:
    """The spans of lines with visible characters."""
    return _stripped(text, [match.span() for match in re.finditer(r"[^\n]+", text)])


def prose_spans(text: str, language: str) -> list[Span]:
    """The spans of the sentences of prose, by sentencex, which never splits a quotation.

    It takes an apostrophe ('em, 'tis) or a mark that is never closed for the start of a quotation, and may return pages
    as one sentence. A long sentence is therefore split again without its quotation marks.
    """
    spans: list[Span] = []
    for start, end in _boundaries(text, language):
        if end - start <= LONG:
            spans.append((start, end))
        else:
            bare = text[start:end].translate(NO_QUOTES)
            spans += [(start + first, start + last) for first, last in _boundaries(bare, language)]
    return _stripped(text, spans)


def _boundaries(text: str, language: str) -> list[Span]:
    no_end = NO_END_IN.get(language, NO_END)
    readable = no_end.sub(lambda found: "X" * len(found[0]), text)
    readable = SHORT.sub("jj", readable).translate(ONE_WAY)
    found = {one["start_index"] for one in sentencex.get_sentence_boundaries(language, readable)}
    starts = {0, *(start for start in found if not _continues(text, start))}
    starts.update(match.end() for match in BEFORE_A_NUMBER.finditer(text))
    return list(pairwise([*sorted(starts), len(text)]))


def _continues(text: str, start: int) -> bool:
    """Whether what begins here continues a sentence: a small letter after an abbreviation, a bracket or a number."""
    before, after = text[max(0, start - NEAR) : start], text[start : start + NEAR]
    blanks = before[len(before.rstrip()) :] + after[: len(after) - len(after.lstrip())]
    return after.lstrip()[:1].islower() and blanks.count("\n") < 2 and bool(CONTINUED.search(before))


def _stripped(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans without blanks at their ends and without empty spans."""
    tight = []
    for start, end in spans:
        piece = text[start:end]
        tight.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
    return [(start, end) for start, end in tight if start < end]
