"""Cached results of readings: clusters, roles, keywords, patterns, segments, and comparisons.

Keys are small, as in `readings`; what takes long to import is imported where it is used.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import analyze_by_share
from attn_core.similarity.strong_pairs import Measure, Settings
from attn_core.similarity.words import find_words
from attn_core.ui import readings
from attn_core.ui.readings import Choice, TextKey

if TYPE_CHECKING:
    from attn_core.comparison.differences import Comparison
    from attn_core.patterns.pair_scores import PairScores
    from attn_core.patterns.rules import Pattern, TextWords
    from attn_core.patterns.scores import WordOutputs
    from attn_core.segmentation import SentenceOutputs
    from attn_core.similarity.words import Words

# Windows that a pattern is scored in: each takes some 3 seconds, and 50 to 100 MB for the maps of all heads.
MOST_WINDOWS = 4
SHARES = (0.001, 0.003, 0.01, 0.03, 0.1)  # of strongest pairs, drawn as one curve each


def layers_by_share(choice: Choice) -> pd.DataFrame:
    """The layers tables of several shares of pairs in one, with a column share. The chosen share is among them."""
    shares = tuple(sorted({*SHARES, choice.settings.share}))
    return _layers_by_share(choice.key, replace(choice.settings, share=max(shares)), shares)


@st.cache_data(max_entries=16, show_spinner=False)
def _layers_by_share(key: TextKey, settings: Settings, shares: tuple[float, ...]) -> pd.DataFrame:
    analyses = analyze_by_share(readings.reading(key), settings, shares)
    return pd.concat([one.layers.assign(share=one.settings.share) for one in analyses], ignore_index=True)


@st.cache_resource(max_entries=2, show_spinner=False)
def comparison(*subjects: tuple[str, Choice]) -> "Comparison":
    """The comparison of two subjects, each a name and a choice; it matches their heads when it is asked to."""
    from attn_core.comparison.differences import Comparison

    return Comparison({name: readings.results(choice) for name, choice in subjects})


@st.cache_data(max_entries=16, show_spinner="Looking for keywords")
def keywords(key: TextKey) -> pd.DataFrame:
    from attn_core.analysis.keywords import keywords as found_in  # nltk takes most of a second to import

    return found_in(readings.reading(key.of_tokens))


def windows_scored(key: TextKey) -> tuple[int, ...]:
    """The windows that a pattern is scored in, counted from 0: all, or `MOST_WINDOWS` of them, evenly spread."""
    if key.window is not None:
        return (key.window,)
    windows = len(readings.passages(key))
    return tuple(np.linspace(0, windows - 1, min(MOST_WINDOWS, windows)).round().astype(int).tolist())


@st.cache_data(max_entries=64, show_spinner=False)
def usual_pattern(key: TextKey) -> str:
    """The rule that a text starts with: a pronoun and its name, or else another with enough pairs, or with most.

    The last rules come first: words alone, without any head, find the pairs of the first ones.
    """
    from attn_core.patterns.rules import BY_NAME, RULES, TextWords, pronoun_and_name
    from attn_core.patterns.scores import ENOUGH

    windows = [readings.passages(key)[window] for window in windows_scored(key)]
    texts = [TextWords.of(passage, find_words(passage)) for passage in windows]
    rules = (BY_NAME[pronoun_and_name.__name__], *reversed(RULES))
    pairs = {rule: sum(len(RULES[rule](text)) for text in texts) for rule in rules}
    return next((rule for rule in pairs if pairs[rule] >= ENOUGH), max(pairs, key=pairs.__getitem__))


@st.cache_resource(max_entries=MOST_WINDOWS, show_spinner="Reading the words of the text")
def word_outputs(key: TextKey) -> tuple["TextWords", "Words", "WordOutputs"]:
    """The words of a window for rules, the same with their tokens, and the maps of all heads over them."""
    from attn_core.patterns.rules import TextWords  # nltk is for this page only
    from attn_core.patterns.scores import of_words

    with_maps = readings.with_maps(key.of_tokens)
    (passage,), (output,) = with_maps.passages, with_maps.outputs
    words = find_words(passage)
    return TextWords.of(passage, words), words, of_words(output.z, output.attention, words)


@st.cache_data(max_entries=16, show_spinner=False)
def pattern_before_attention(key: TextKey, sought: "Pattern", measure: Measure) -> float:
    """The score of a pattern in the states that enter the first layer, which no head has made."""
    from attn_core.models.capture import layer_states
    from attn_core.patterns.rules import pairs_of
    from attn_core.patterns.scores import percentiles
    from attn_core.similarity.context_similarity import context_similarity

    model, ranks = readings.model(key.spec), []
    for window in windows_scored(key):
        text, words, _ = word_outputs(key.at(window))
        if pairs := pairs_of(sought, text):
            states = words.mean(layer_states(model, readings.passages(key)[window].token_ids)[0])
            ranks.append(percentiles(context_similarity(states, measure), np.array(pairs)))
    return float(np.concatenate(ranks, axis=-1).mean())


@st.cache_resource(max_entries=16, show_spinner="Looking at the pairs")
def pattern(key: TextKey, sought: "Pattern") -> "PairScores | None":
    """The scores of a pattern's pairs in every head; None where the text has no such pair."""
    from attn_core.patterns.pair_scores import score_windows
    from attn_core.patterns.rules import pairs_of

    parts = []
    for window in windows_scored(key):
        words, _, outputs = word_outputs(key.at(window))
        parts.append((window, outputs, pairs_of(sought, words)))
    return score_windows(parts)


@st.cache_data(max_entries=16, show_spinner="Looking at the pairs")
def held_out(key: TextKey, sought: "Pattern", measure: Measure) -> float | None:
    """The score of a pattern in heads that were chosen by its other words, see `PairScores.held_out`."""
    if (seen := pattern(key, sought)) is None:
        return None
    return seen.held_out({window: word_outputs(key.at(window))[2] for window in windows_scored(key)}, measure)


# Segments


@st.cache_resource(max_entries=8, show_spinner=False)
def sentence_outputs(key: TextKey) -> "SentenceOutputs":
    """The head outputs of the sentences of the whole text, in all its windows."""
    from attn_core.segmentation import SentenceOutputs  # nltk takes most of a second to import

    return SentenceOutputs(readings.model(key.spec), readings.document(key.text, key.language))


@st.cache_resource(max_entries=64, show_spinner="Reading the sentences")
def segments(key: TextKey, method: str) -> tuple[int, ...]:
    """The boundaries that a method finds in a text, without a given number of segments."""
    from attn_core.segmentation import segment

    return segment(method, sentence_outputs(key))


@st.cache_data(max_entries=16, show_spinner="Scoring every method")
def gold_scores(key: TextKey) -> pd.DataFrame:
    """The scores of every segmentation method against the gold boundaries of a text."""
    from attn_core.segmentation.evaluation import score_methods

    return pd.DataFrame(score_methods(sentence_outputs(key)))
