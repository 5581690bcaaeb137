"""Methods that look at no model: TextTiling on words (nltk) and even cuts."""

import re

import numpy as np
from nltk.tokenize import TextTilingTokenizer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from attn_core.texts.documents import Document

USUAL_LENGTH = 10  # sentences in a segment, where even cuts are given no number
WORDS = 20  # in a pseudo-sentence, nltk's and Hearst's default


def even_cuts(size: int, segments: int) -> tuple[int, ...]:
    """Segments of as many sentences, or paragraphs, each."""
    return tuple(round(part * size / segments) for part in range(1, segments))


def usual_number(sentences: int) -> int:
    """How many segments even cuts make by themselves: one for every ten sentences (our choice)."""
    return max(1, round(sentences / USUAL_LENGTH))


def texttiling(document: Document, places: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """nltk's TextTiling: (depth before each of the sentences at `places`, the boundaries that it chooses, as numbers among
    them from 1).

    It works on pseudo-sentences of 20 words; a place has the depth where it lies among them, linearly interpolated, and a
    boundary moves to the nearest place. Stop words are scikit-learn's, English. A text that is
    too short for it has depth 0 everywhere and no boundary.
    """
    sentences = [document.sentence(index) for index in range(len(document.sentences))]
    none = np.zeros(len(places)), ()
    tiling = TextTilingTokenizer(w=WORDS, stopwords=ENGLISH_STOP_WORDS, demo_mode=True)
    try:
        _, _, depths, marks = tiling.tokenize("\n\n".join(sentences))
    except (ValueError, IndexError):  # nltk's answers to a text of less than a few pseudo-sentences
        return none
    if not len(depths) or not len(places):
        return none
    words = np.cumsum([_words(sentence) for sentence in sentences])[places - 1]  # words before each place
    ends = WORDS * (1 + np.arange(len(depths)))  # of the pseudo-sentences
    chosen = {int(np.argmin(np.abs(words - end))) + 1 for end in ends[np.flatnonzero(marks)]}
    return np.interp(words, ends, depths), tuple(sorted(chosen))


def _words(sentence: str) -> int:
    """Words as nltk's TextTiling counts them: after everything but letters, hyphens and apostrophes is taken out."""
    return len(re.findall(r"\w+", re.sub(r"[^a-z\-' \n\t]", "", sentence.lower())))
