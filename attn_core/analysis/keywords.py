"""Keyword extraction by strong pairs and attention.

The weight of a word is the geometric mean of two numbers. Each is divided by its mean over the words of the window, so
that 1 is chance:

* The number of strong pairs that touch the word, mean over all heads, by centred cosine. The scalar product would
  select words with long vectors, mostly punctuation and stop words.
* The attention that the word receives, mean over the heads of the last layer. In a decoder, more words see an early
  word, so it ranks higher. This number is left out if heads attend to another text.

A phrase is a run of words between stop words and punctuation. The score of one occurrence is the sum of its words'
weights divided by the square root of their number. The score of a phrase is the root of the sum of squares over its
occurrences, so repeated phrases score higher. If one phrase contains another, only the one of higher score is listed.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from attn_core.analysis.reading import Reading, word_reading
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.similarity.selection import find_strong_pairs
from attn_core.similarity.strong_pairs import SHARE, Measure
from attn_core.texts.characters import bare
from attn_core.texts.languages import little_words, stemmer
from attn_core.texts.passages import Passage

LONGEST = 5  # words in a phrase
MEASURE: Measure = "centred"
# Keywords always use these settings.
SETTINGS = {"measure": MEASURE, "share": SHARE, "with_special": False, "unit": "words"}
NO_KEYWORDS = (
    "This text has no keyword: it takes at least two words and, in a script without blanks between words (Chinese, "
    "Japanese, Thai), a model whose vocabulary has words of several characters."
)
COLUMNS = ["rank", "keyword", "score", "chance_score", "times", "start"]


def keywords(reading: Reading, number: int = 10) -> pd.DataFrame:
    """The phrases of largest score: rank, keyword, score, chance_score (of words with weight 1), times, start.

    Phrases with the same stems are counted as one and spelled as in their best occurrence. start: character offset of
    that occurrence. All windows of a text are ranked together.
    """
    stem, of_words = stemmer(reading.document.language), word_reading(reading)
    rows = []
    for passage, output in zip(of_words.passages, of_words.outputs, strict=True):
        if (~passage.is_special).sum() < 2:
            continue
        weights = _weights(passage, output)
        for phrase in _phrases(passage):
            start, end = int(passage.starts[phrase[0]]), int(passage.ends[phrase[-1]])
            stems = " ".join(stem(passage.tokens[at]) for at in phrase)
            text = bare(" ".join(passage.document.text[start:end].split()))
            rows.append((stems, text, start, len(phrase), float(weights[phrase].sum()) / len(phrase) ** 0.5))
    places = pd.DataFrame(rows, columns=["stems", "keyword", "start", "words", "score"])
    by_stems = places.assign(square=places["score"] ** 2).groupby("stems", sort=False)
    best = places.loc[by_stems["score"].idxmax()].set_index("stems")
    best = best.assign(score=by_stems["square"].sum() ** 0.5, times=by_stems.size())
    best = best.assign(chance_score=(best["words"] * best["times"]) ** 0.5)
    best = best.sort_values("score", ascending=False, kind="stable")
    kept = best.loc[_apart(best.index, number)]
    return kept.assign(rank=np.arange(1, len(kept) + 1))[COLUMNS].reset_index(drop=True)


def _apart(ranked: Iterable[str], number: int) -> list[str]:
    """The first `number` phrases of a ranking, none of which contains another. ranked: stems joined by blanks."""
    kept: list[str] = []
    for key in ranked:
        if len(kept) == number:
            break
        if not any(f" {key} " in f" {other} " or f" {other} " in f" {key} " for other in kept):
            kept.append(key)
    return kept


def _weights(passage: Passage, output: HeadOutputs) -> np.ndarray:
    """The weight of each word of a passage read in words, (N,); see the module."""
    pairs = find_strong_pairs(output.z, passage, SHARE, MEASURE, with_special=False)
    touched = np.bincount(np.concatenate([pairs.first.ravel(), pairs.second.ravel()]), minlength=len(passage))
    received = as_array(output.received)[-1].mean(axis=0)
    words = ~passage.is_special
    if not received[words].any():  # the heads attend to another text
        return np.sqrt(touched / touched[words].mean())
    return np.sqrt(touched / touched[words].mean() * (received / received[words].mean()))


def _phrases(passage: Passage) -> list[list[int]]:
    """The runs of 1 to `LONGEST` words between stop words and punctuation, as indices; a hyphen joins two words."""
    little, runs = little_words(passage.document.language), list[list[int]]([[]])
    for at in range(len(passage)):
        word = "" if passage.is_special[at] else passage.surface(at)
        if len(word) > 1 and word[0].isalpha() and word.lower() not in little:
            runs[-1].append(at)
        elif word != "-" or not _without_blanks(passage, at):
            runs.append([])
    return [run for run in runs if 0 < len(run) <= LONGEST]


def _without_blanks(passage: Passage, at: int) -> bool:
    """Whether a word inside a passage has a blank neither before nor after it."""
    starts, ends = passage.starts, passage.ends
    return 0 < at < len(passage) - 1 and ends[at - 1] == starts[at] and ends[at] == starts[at + 1]
