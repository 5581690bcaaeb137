"""Keyword extraction by strong pairs and attention.

The weight of a word is the geometric mean of two numbers. Each is divided by its mean over the words of the window, so
that 1 is chance:

* The number of strong pairs that touch the word, mean over all heads, by centred cosine. The scalar product would
  select words with long vectors, mostly punctuation and stop words.
* The attention that the word receives, mean over the heads of the last layer. In a decoder, more words see an early
  word, so it ranks higher. This number is left out if heads attend to another text.

A phrase is a run of words between stop words and punctuation. Words that hyphens join count as one, with stop words
inside too (state-of-the-art); an elided word is a stop word (l'eau). The score of one occurrence is the sum of its
words' weights divided by the square root of their number. The score of a phrase is the root of the sum of squares over
its occurrences, so repeated phrases score higher. Those inside longer phrases count too, of a single word only if it
stands alone at least twice (our choice). If one phrase contains another, only the one of higher score is listed.
"""

from collections.abc import Iterable
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd

from attn_core.analysis.reading import Reading, word_reading
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.similarity.selection import find_strong_pairs
from attn_core.similarity.strong_pairs import SHARE, Measure
from attn_core.texts.characters import HYPHENS, bare, in_word
from attn_core.texts.languages import is_little, stemmer, without_elision
from attn_core.texts.passages import Passage

LONGEST = 5  # words in a phrase, of which hyphens make one
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
    language, of_words = reading.document.language, word_reading(reading)
    stem = cache(stemmer(language))
    rows = []
    for passage, output in zip(of_words.passages, of_words.outputs, strict=True):
        if (~passage.is_special).sum() < 2:
            continue
        weights = _weights(passage, output)
        stems = [stem(without_elision(token, language)) for token in passage.tokens]
        for run in _runs(passage):
            spans = combinations(range(len(run) + 1), 2)
            for part in (run[first:end] for first, end in spans if end - first <= LONGEST):
                at = [word for compound in part for word in compound]
                start = int(passage.ends[at[0]]) - len(without_elision(passage.surface(at[0]), language))
                text = bare(" ".join(passage.document.text[start : passage.ends[at[-1]]].split()))
                score = float(weights[at].sum()) / len(at) ** 0.5
                rows.append((" ".join(stems[word] for word in at), text, start, len(at), score, len(part) == len(run)))
    places = pd.DataFrame(rows, columns=["stems", "keyword", "start", "words", "score", "alone"])
    times_alone = places.groupby("stems")["alone"].transform("sum")
    times = places.groupby("stems").size()
    places = places[places["alone"] | ((places["words"] > 1) & (times_alone > 0)) | (times_alone > 1)]
    by_stems = places.assign(square=places["score"] ** 2).groupby("stems", sort=False)
    best = places.loc[by_stems["score"].idxmax()].set_index("stems")
    best = best.assign(score=by_stems["square"].sum() ** 0.5, times=times)
    best = best.assign(chance_score=(best["words"] * by_stems.size()) ** 0.5)
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


def _runs(passage: Passage) -> list[list[list[int]]]:
    """The runs of words between stop words and punctuation; a word is the indices of what hyphens join."""
    language, runs = passage.document.language, list[list[list[int]]]([[]])
    for compound in _compounds(passage):
        words = [without_elision(passage.tokens[at], language) for at in compound]
        is_word = len("".join(words)) > 1 and any(map(str.isalpha, "".join(words)))
        is_content = is_word and not all(is_little(word, language) for word in words)
        if not is_content or words[0] != passage.tokens[compound[0]]:
            runs.append([])
        if is_content:
            runs[-1].append(compound)
    return [run for run in runs if run]


def _compounds(passage: Passage) -> list[list[int]]:
    """The indices of all words of a passage, those together that hyphens without blanks join."""
    tokens, starts, ends = passage.tokens, passage.starts, passage.ends
    compounds, hyphen = list[list[int]](), False
    for at, token in enumerate(tokens):
        follows, hyphen_before = at > 0 and ends[at - 1] == starts[at], hyphen
        joins = follows and at + 1 < len(tokens) and ends[at] == starts[at + 1] and token in HYPHENS
        hyphen = joins and in_word(tokens[at - 1][-1:]) and in_word(tokens[at + 1][:1])
        if hyphen_before:
            compounds[-1].append(at)
        elif not hyphen:
            compounds.append([at])
    return compounds
