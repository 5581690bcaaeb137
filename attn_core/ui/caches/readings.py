"""Texts, what a model has read of them, and the strong pairs of that.

Keys are small: model, text and settings, never an array or a table. What is heavy and read-only is kept once for all
sessions (`cache_resource`). A change of measure, share or special tokens reaches `analysis` only, so that the model
does not run again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.analysis.attention_maps import attention_of
from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.analysis.reading import Reading, read, reading_in
from attn_core.head import Head
from attn_core.models.files import WINDOW
from attn_core.models.head_outputs import as_array
from attn_core.similarity.strong_pairs import Measure, Settings, Unit
from attn_core.similarity.words import find_words
from attn_core.texts.documents import Document, read_document
from attn_core.texts.passages import Passage, read_passages
from attn_core.ui.caches import models_held
from attn_core.ui.choice import TextKey

if TYPE_CHECKING:
    from attn_core.patterns.pair_scores import Seen
    from attn_core.patterns.placements import Placements
    from attn_core.patterns.rules import Sought, TextWords
    from attn_core.patterns.word_maps import WordOutputs
    from attn_core.similarity.words import Words

LONGEST = 30_000  # characters of a text that is read anew, by sentence or by another model, before anybody asks
# Windows that a pattern is scored in: each takes some 3 seconds, and 50 to 100 MB for the maps of all heads.
MOST_WINDOWS = 4


@st.cache_resource(max_entries=16, show_spinner=False)
def document(text: str, language: str) -> Document:
    return read_document(text, language)


def passages(key: TextKey) -> tuple[Passage, ...]:
    """All windows of the text, whichever one is read."""
    return _passages(replace(key, window=None))


def takes_long(key: TextKey) -> bool:
    """Whether nothing is made of a text before anybody asks: a window is long, or all windows of a long text are pooled."""
    return is_long(key) or (key.window is None and len(key.text) > LONGEST)


def is_long(key: TextKey) -> bool:
    """Whether a window that is read is longer than usual: what it takes grows with its square."""
    windows = passages(key)
    return max(map(len, windows if key.window is None else windows[key.window : key.number])) > WINDOW


@st.cache_resource(max_entries=16, show_spinner=False)
def _passages(key: TextKey) -> tuple[Passage, ...]:
    loaded = models_held.model(key.spec)
    return tuple(read_passages(document(key.text, key.language), loaded.tokenizer, loaded.max_tokens, key.layout))


def reading(key: TextKey) -> Reading:
    """The head outputs; of a single window that is not long with its attention maps."""
    return _whole(key) if key.window is None else _window(key)


@st.cache_resource(max_entries=4, show_spinner=False)
def _whole(key: TextKey) -> Reading:
    """All windows; apart from `_window`, so that windows looked at one by one never push out the whole text."""
    return _read(key, keep_maps=False)


@st.cache_resource(max_entries=4, show_spinner=False)
def _window(key: TextKey) -> Reading:
    return _read(key, keep_maps=not is_long(key))


@contextmanager
def _progress(doing: str) -> Iterator[Callable[[int, int], None]]:
    """A bar for what goes window by window; a choice in the sidebar ends the wait."""
    bar = st.empty()  # made in here: a cached function may only write to what it made itself

    def progress(done: int, windows: int) -> None:
        if windows > 1:
            bar.progress(
                done / windows, f"{doing} window {done + 1} of {windows}; *Window* in the sidebar takes one alone"
            )

    yield progress
    bar.empty()


def _read(key: TextKey, keep_maps: bool) -> Reading:
    number = None if key.window is None else key.number
    with _progress("Reading") as progress:
        return read(
            models_held.model(key.spec), document(key.text, key.language), key.layout, number, keep_maps, progress
        )


def attention_map(key: TextKey, unit: Unit, head: Head) -> np.ndarray:
    """The attention map of a head in one window, (query, key); of a long window it is made when it is looked at."""
    if is_long(key):
        return _long_attention_map(key, unit, head)
    attention = (reading_in_words if unit == "words" else reading)(key).outputs[0].attention
    assert attention is not None, "this reading has its attention maps"
    return as_array(attention[head])


@st.cache_resource(max_entries=4, show_spinner="Reading the text again, for an attention map")
def _long_attention_map(key: TextKey, unit: Unit, head: Head) -> np.ndarray:
    return attention_of(models_held.model(key.spec), passages(key)[key.number - 1], [head], unit)[0]


@st.cache_resource(max_entries=4, show_spinner=False)
def reading_in_words(key: TextKey) -> Reading:
    return reading_in("words", reading(key))


@st.cache_resource(max_entries=8, show_spinner=False)
def analysis(key: TextKey, settings: Settings) -> Analysis:
    in_unit = (reading_in_words if settings.unit == "words" else reading)(key)
    with _progress("Choosing the strong pairs of") as progress:
        return analyze_reading(in_unit, settings, progress)


@st.cache_data(max_entries=16, show_spinner="Looking for keywords")
def keywords(key: TextKey) -> pd.DataFrame:
    from attn_core.analysis.keywords import keywords as found_in  # nltk takes most of a second to import

    return found_in(reading(key))


def windows_scored(key: TextKey) -> tuple[int, ...]:
    """The windows that a pattern is scored in, from 0: those that are read, evenly spread where they are many."""
    if key.window is not None:
        return (key.window,)
    windows = len(passages(key))
    return tuple(np.linspace(0, windows - 1, min(MOST_WINDOWS, windows)).round().astype(int).tolist())


@st.cache_resource(max_entries=MOST_WINDOWS, show_spinner="Reading the words of the text")
def word_outputs(key: TextKey) -> tuple["TextWords", "Words", "WordOutputs"]:
    """The words of a window, and what the heads make of every two of them."""
    from attn_core.patterns.rules import TextWords  # nltk is for this page only
    from attn_core.patterns.word_maps import of_words

    with_maps = reading(key)
    (passage,), (output,) = with_maps.passages, with_maps.outputs
    words = find_words(passage)
    return TextWords.of(passage, words), words, of_words(output.z, output.attention, words)


@st.cache_data(max_entries=16, show_spinner=False)
def pattern_before_attention(key: TextKey, windows: tuple[int, ...], sought: "Sought", measure: Measure) -> float:
    """The score of a pattern in the states before the first layer: what no head needs to have made."""
    from attn_core.models.capture import layer_states
    from attn_core.patterns.rules import pairs_of
    from attn_core.patterns.scores import percentiles
    from attn_core.similarity.context_similarity import context_similarity

    model, ranks = models_held.model(key.spec), []
    for window in windows:
        text, words, _ = word_outputs(key.at(window))
        if pairs := pairs_of(sought, text):
            states = words.mean(layer_states(model, passages(key)[window])[0][None])
            ranks.append(percentiles(context_similarity(states, measure), np.array(pairs)))
    return float(np.concatenate(ranks, axis=-1).mean())


@st.cache_resource(max_entries=16, show_spinner="Looking at the pairs")
def pattern(
    key: TextKey, windows: tuple[int, ...], sought: "Sought", measure: Measure
) -> "tuple[Seen, Placements] | None":
    """The pairs of a pattern in some windows, as every head sees them, and by one measure at other places; None where there
    is no pair."""
    from attn_core.patterns.pair_scores import see
    from attn_core.patterns.placements import placements
    from attn_core.patterns.rules import pairs_of

    parts = []
    for window in windows:
        words, _, outputs = word_outputs(key.at(window))
        parts.append((window, outputs, pairs_of(sought, words)))
    seen = see(parts)
    return None if seen is None else (seen, placements(parts, measure))
