"""Segmentation methods: optimal partitions of sentence vectors, attention to separators, two baselines.

A method is a function of the sentences, of `starts`, and of a number of segments or None. Segments consist of whole
units, paragraphs or single sentences; starts are their first sentences. A method returns boundaries as indices into
starts. To add a method, write the function and add it to `METHODS`, which the page and the command line read.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from nltk.tokenize import TextTilingTokenizer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from attn_core.segmentation.partition import LONGEST, best_partition, find_number, segment_gains
from attn_core.segmentation.sentences import SentenceOutputs
from attn_core.segmentation.vectors import centred, content, head_vectors, joined
from attn_core.texts.documents import Document

FINAL_LAYERS = 1 / 3  # the share of layers over which separator attention is averaged (our choice)
USUAL_LENGTH = 10  # sentences per segment of even cuts if no number of segments is given (our choice)
TILE = 20  # words in a pseudo-sentence of TextTiling, nltk's and Hearst's default

Cut = Callable[[SentenceOutputs, np.ndarray, int | None], tuple[int, ...]]


@dataclass(frozen=True)
class Method:
    """A segmentation method: its title on the screen, and its function."""

    title: str
    cut: Cut


def _heads(outputs: SentenceOutputs) -> np.ndarray:
    return head_vectors(outputs.vectors, outputs.head_weights)


def _embeddings(outputs: SentenceOutputs) -> np.ndarray:
    return centred(outputs.embeddings)


def _partition_by(*kinds: Callable[[SentenceOutputs], np.ndarray]) -> Cut:
    """The method that finds the best partition by one or several kinds of sentence vectors, weighted equally."""

    def cut(outputs: SentenceOutputs, starts: np.ndarray, segments: int | None) -> tuple[int, ...]:
        vectors, weights = joined(*(kind(outputs) for kind in kinds)), content(outputs.tokens)
        if segments is None:
            boundaries = find_number(vectors, weights)
            if len(starts) == len(vectors):
                return boundaries
            segments = min(len(boundaries) + 1, len(starts))
        # allow segments of twice the mean length in texts of any length
        gains = segment_gains(vectors, max(LONGEST, -(-2 * len(starts) // segments)), weights, starts)
        return best_partition(gains, segments)

    return cut


def _separator_attention(outputs: SentenceOutputs, starts: np.ndarray, segments: int | None) -> tuple[int, ...]:
    """The boundaries after the separators that receive most attention in the final third of the layers.

    Without a number of segments: those with more than the mean plus one standard deviation (our choice).
    """
    attention = outputs.separator_attention
    final = max(1, round(len(attention) * FINAL_LAYERS))
    scores = attention[-final:].mean(axis=(0, 1))[starts[1:] - 1].astype(float)
    if segments is not None:
        return _highest(scores, segments)
    return tuple(int(place) + 1 for place in np.flatnonzero(scores > scores.mean() + scores.std()))


def _texttiling(outputs: SentenceOutputs, starts: np.ndarray, segments: int | None) -> tuple[int, ...]:
    depths, boundaries = texttiling(outputs.document, starts[1:])
    return boundaries if segments is None else _highest(depths, segments)


def texttiling(document: Document, places: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """The depth scores of nltk's TextTiling before the sentences at `places`, and its boundaries, as places from 1.

    Depths are those of pseudo-sentences of 20 words, linearly interpolated. Each boundary is moved to the nearest
    place. Stop words are scikit-learn's English ones. A text that is too short has depth 0 everywhere and no boundary.
    """
    sentences = [document.sentence(index) for index in range(len(document.sentences))]
    none = np.zeros(len(places)), ()
    tiling = TextTilingTokenizer(w=TILE, stopwords=ENGLISH_STOP_WORDS, demo_mode=True)
    try:
        _, _, depths, marks = tiling.tokenize("\n\n".join(sentences))
    except (ValueError, IndexError):  # what nltk raises for a text of too few pseudo-sentences
        return none
    if not len(depths) or not len(places):
        return none
    # Words before each place, as nltk counts them: runs of letters, hyphens and apostrophes.
    letters = (re.sub(r"[^a-z\-' \n\t]", "", sentence.lower()) for sentence in sentences)
    words = np.cumsum([len(re.findall(r"\w+", some)) for some in letters])[places - 1]
    ends = TILE * (1 + np.arange(len(depths)))  # of the pseudo-sentences
    chosen = {int(np.argmin(np.abs(words - end))) + 1 for end in ends[np.flatnonzero(marks)]}
    return np.interp(words, ends, depths), tuple(sorted(chosen))


def _even_cuts(outputs: SentenceOutputs, starts: np.ndarray, segments: int | None) -> tuple[int, ...]:
    """The boundaries of segments with equal numbers of sentences or paragraphs."""
    size = len(starts)
    segments = segments or min(max(1, round(len(outputs) / USUAL_LENGTH)), size)
    return tuple(round(part * size / segments) for part in range(1, segments))


def _highest(scores: np.ndarray, segments: int) -> tuple[int, ...]:
    """The segments - 1 places of highest score, numbered from 1; of equal scores the earlier place."""
    order = np.argsort(-scores, kind="stable")[: segments - 1]
    return tuple(sorted(int(place) + 1 for place in order))


METHODS = {
    "partition": Method("Optimal partition, heads and embeddings", _partition_by(_heads, _embeddings)),
    "partition_heads": Method("Optimal partition of head outputs", _partition_by(_heads)),
    "partition_embeddings": Method("Optimal partition of sentence embeddings", _partition_by(_embeddings)),
    "separator_attention": Method("Attention to separators", _separator_attention),  # Halevi et al. 2026
    "texttiling": Method("TextTiling on words", _texttiling),  # Hearst 1997
    "even_cuts": Method("Even cuts", _even_cuts),
}
