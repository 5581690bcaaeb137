"""Keywords: the phrases of a text whose words the heads gather around.

Heads gather around a word in two ways: by strong pairs that it touches, mean over all heads, by centred cosine (a scalar
product would choose the words of long vectors, which are mostly punctuation and little words); and by attention that it
receives, mean over the heads of the last layer (a decoder's first words are seen by more, and rank higher). A word's weight
is the geometric mean of both, each as a multiple of what the words of its window have on average, so that 1 is chance. A
phrase is a run of words between little words and punctuation; its score is the sum of its words' weights over the root of
their number, in the place where that is largest.
"""

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from attn_core.analysis.one_text import Reading, reading_in
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.similarity.selection import find_strong_pairs
from attn_core.texts.passages import Passage
from attn_core.texts.stop_words import little_words, stemmer

LONGEST = 5  # words of a phrase
SHARE = 0.01


def keywords(reading: Reading, number: int = 10) -> pd.DataFrame:
    """The phrases of largest score: rank, keyword, score, chance_score (of words with weight 1), times, start (character).

    Phrases of the same stems are one, written as where they score highest. The windows of a text are ranked together.
    """
    stem = stemmer(reading.document.language)
    little = little_words(reading.document.language)
    found: dict[str, dict[str, object]] = {}
    of_words = reading_in("words", reading)
    for passage, output in zip(of_words.passages, of_words.outputs, strict=True):
        if (~passage.is_special).sum() < 2:
            continue
        weights = _weights(passage, output)
        for phrase in _phrases(passage, little):
            row = _scored(passage, phrase, weights)
            key = " ".join(stem(word.lower()) for word in re.findall(r"\w+", str(row["keyword"])))
            known = found.setdefault(key, row | {"times": 0, "score": -1.0})
            times = int(known["times"]) + 1  # type: ignore[call-overload]
            found[key] = (row if row["score"] > known["score"] else known) | {"times": times}  # type: ignore[operator]
    columns = ["keyword", "score", "chance_score", "times", "start"]
    table = pd.DataFrame(list(found.values()), columns=columns)
    table = table.sort_values("score", ascending=False, kind="stable", ignore_index=True).head(number)
    return table.assign(rank=np.arange(1, len(table) + 1))[["rank", *columns]]


def _weights(passage: Passage, output: HeadOutputs) -> np.ndarray:
    """How much heads gather around each word of a passage of words, (N,), see the module."""
    pairs = find_strong_pairs(output.z, passage, SHARE, "centred", with_special=False)
    touched = np.bincount(np.concatenate([pairs.first.ravel(), pairs.second.ravel()]), minlength=len(passage))
    received = as_array(output.received)[-1].mean(axis=0)
    words = ~passage.is_special
    return np.sqrt(touched / touched[words].mean() * (received / received[words].mean()))


def _phrases(passage: Passage, little: frozenset[str]) -> Iterator[list[int]]:
    """Runs of at most `LONGEST` words, by their places in a passage of words; a hyphen between two of them joins them."""
    run: list[int] = []
    for at in range(len(passage)):
        word = "" if passage.is_special[at] else passage.surface(at)
        if _is_hyphen(passage, at, word) and run:
            continue
        if len(word) > 1 and word[0].isalpha() and word.lower() not in little:
            run.append(at)
            continue
        if 0 < len(run) <= LONGEST:
            yield run
        run = []
    if 0 < len(run) <= LONGEST:
        yield run


def _is_hyphen(passage: Passage, at: int, word: str) -> bool:
    """Whether a word is a hyphen without blanks around it."""
    inside = 0 < at < len(passage) - 1
    return (
        inside
        and word == "-"
        and passage.ends[at - 1] == passage.starts[at]
        and passage.ends[at] == passage.starts[at + 1]
    )


def _scored(passage: Passage, phrase: list[int], weights: np.ndarray) -> dict[str, object]:
    start, end = int(passage.starts[phrase[0]]), int(passage.ends[phrase[-1]])
    root = len(phrase) ** 0.5
    return {
        "keyword": " ".join(passage.document.text[start:end].split()),
        "score": float(weights[phrase].sum()) / root,
        "chance_score": root,
        "start": start,
    }
