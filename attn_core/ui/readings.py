"""Models, readings and analyses, kept in memory for all sessions, and results in folders.

Every number on a page of a text comes from `results`. Cache keys are small: model, text and settings. Another measure
or share reaches `analysis` only, so that the model does not run again. Every cache is bounded.
"""

import logging
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.analysis.reading import Reading, attention_of, read, word_reading
from attn_core.analysis.role_counts import roles_of
from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.models.facts import ModelFacts, facts_of
from attn_core.models.files import WINDOW, ModelSpec, modified_ns
from attn_core.models.head_outputs import as_array
from attn_core.models.records import LoadedModel
from attn_core.models.windows import available_memory, with_window_tokens
from attn_core.runs.folder import KINDS, MANIFEST, TABLES
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import Unit
from attn_core.texts.documents import Document, read_document
from attn_core.texts.passages import Layout, Passage, read_passages

T = TypeVar("T")
KEPT = 256  # values of one owner, at most
LONGEST = 30_000  # characters of a text that is read anew, by sentence or by another model, before anybody asks


@dataclass(frozen=True)
class TextKey:
    """A text as a model reads it, in tokens or words: the key of the caches. window: counted from 0; None for all."""

    spec: ModelSpec
    text: str
    language: str
    layout: Layout
    window: int | None
    unit: Unit = "tokens"

    @property
    def number(self) -> int:
        """The number of the window, from 1."""
        assert self.window is not None, "one window is meant"
        return self.window + 1

    def at(self, window: int | None) -> "TextKey":
        """The same text at another window."""
        return replace(self, window=window)

    @property
    def of_tokens(self) -> "TextKey":
        """The same text in tokens."""
        return replace(self, unit="tokens")

    @property
    def whole(self) -> "TextKey":
        """The whole text in tokens and plain layout, as segmentation reads it."""
        return replace(self, layout="plain", window=None, unit="tokens")


@dataclass(frozen=True)
class Choice:
    """Everything that decides the numbers of a page. window: counted from 0; None pools all windows."""

    spec: ModelSpec
    title: str
    text: str
    language: str = "en"
    layout: Layout = "plain"
    window: int | None = None
    unit: Unit = "tokens"
    settings: Settings = field(default_factory=Settings)

    @cached_property
    def key(self) -> TextKey:
        """The text as the model reads it, without the settings of the pairs."""
        return TextKey(self.spec, self.text, self.language, self.layout, self.window, self.unit)

    @cached_property
    def of_one_window(self) -> "Choice":
        """The choice of a page of one window: the chosen window, else the first."""
        return replace(self, window=self.window or 0)


_kept: WeakKeyDictionary[Any, dict[Hashable, Any]] = WeakKeyDictionary()
# A thread that fills a cache has no page to say how far it is; Streamlit would warn of that.
logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
_last_written: dict[str, int] = {}


def kept(owner: Any, key: Hashable, make: Callable[[], T]) -> T:
    """The value that `make` returns, made once for an owner and a key.

    It lives as long as its owner, such as an analysis, to which it must not refer.
    """
    values = _kept.setdefault(owner, {})
    with suppress(KeyError):
        return values[key]
    if len(values) >= KEPT:
        values.pop(next(iter(values)), None)
    value = values[key] = make()
    return value


# Models


def model(spec: ModelSpec) -> LoadedModel:
    """A model with its weights, which it shares with the same model without some heads or with other windows."""
    whole = with_window_tokens(_loaded(replace(spec, ablation=None, window_tokens=WINDOW)), spec.window_tokens)
    if spec.ablation is None:
        return whole
    from attn_core.models.ablation import ablated

    return ablated(whole, spec.ablation)


@st.cache_resource(max_entries=2, show_spinner=False)
def _loaded(spec: ModelSpec) -> LoadedModel:
    from attn_core.models.loading import load  # waits for torch and transformers, which the server imports

    if 2 * facts_of(spec).bytes > available_memory():  # readings hold the models that read them
        _analysis.clear()
        _first_look.clear()
        _reading.clear()
        with_maps.clear()
    return load(spec)


def facts(spec: ModelSpec) -> ModelFacts | None:
    """What is known of a model without loading it; None if its files cannot be read, which reading then reports."""
    _forget_if_written(spec)
    try:
        return facts_of(spec)
    except InputError:
        return None


def last_written(spec: ModelSpec) -> int:
    """When the folder of a model was written, as of the last look."""
    return _last_written.get(spec.name, 0)


def _forget_if_written(spec: ModelSpec) -> None:
    """Clear all caches if the folder of a model was written since it was read, as by a training that goes on."""
    now = modified_ns(spec)
    if _last_written.setdefault(spec.name, now) != now:
        _last_written[spec.name] = now
        st.cache_resource.clear()
        st.cache_data.clear()


# Texts


@st.cache_resource(max_entries=16, show_spinner=False)
def document(text: str, language: str) -> Document:
    """A text in sentences."""
    return read_document(text, language)


def passages(key: TextKey) -> tuple[Passage, ...]:
    """All windows of the text, even where the key names one."""
    return _passages(replace(key.of_tokens, window=None))


@st.cache_resource(max_entries=16, show_spinner=False)
def _passages(key: TextKey) -> tuple[Passage, ...]:
    reader = model(key.spec)
    return tuple(read_passages(document(key.text, key.language), reader.tokenizer, reader.max_tokens, key.layout))


def takes_long(key: TextKey) -> bool:
    """Whether a reading takes long, so that a button starts it: a long window, or all windows of a long text."""
    return is_long(key) or (key.window is None and len(key.text) > LONGEST)


def is_long(key: TextKey) -> bool:
    """Whether a window that is read has more than `WINDOW` tokens. Time and memory grow with their square."""
    windows = passages(key)
    return max(map(len, windows if key.window is None else windows[key.window : key.number])) > WINDOW


# Readings


def reading(key: TextKey) -> Reading:
    """The head outputs of a text, or of one of its windows, in tokens or words."""
    return _reading(_as_read(key))


def _as_read(key: TextKey) -> TextKey:
    """The key of a reading: a text of one window has the same key as that window."""
    return key if len(passages(key)) > 1 else replace(key, window=0)


@st.cache_resource(max_entries=8, show_spinner=False)
def _reading(key: TextKey) -> Reading:
    if key.unit == "words":
        return word_reading(_reading(key.of_tokens))
    return _read(key, keep_maps=False)


@st.cache_resource(max_entries=2, show_spinner="Reading the text again, for its attention maps")
def with_maps(key: TextKey) -> Reading:
    """The reading of one window, with the attention maps of all heads."""
    return _read(key, keep_maps=True)


def _read(key: TextKey, keep_maps: bool) -> Reading:
    number = None if key.window is None else key.number
    with _progress("Reading") as progress:
        return read(
            model(key.spec), document(key.text, key.language), key.layout, number, keep_maps, progress, key.unit
        )


@contextmanager
def _progress(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Context manager with a function that shows how many windows are done; a choice in the sidebar ends the wait."""
    bar = st.empty()  # made in here: a cached function may only write to what it made itself

    def progress(done: int, windows: int) -> None:
        if windows > 1:
            bar.progress(done / windows, f"{doing} window {done + 1} of {windows}; *Window* in the sidebar takes one")

    yield progress
    bar.empty()


@st.cache_resource(max_entries=32, show_spinner="Reading the text again, for an attention map")
def attention_map(key: TextKey, head: Head) -> np.ndarray:
    """The attention map of a head in one window, (query, key); of a long window only this map is computed."""
    if is_long(key):
        return attention_of(model(key.spec), passages(key)[key.number - 1], head, key.unit)
    attention = with_maps(key).outputs[0].attention
    assert attention is not None, "this reading has its attention maps"
    return as_array(attention[head]).copy()  # of its own, so that those of the other heads can go


# Analyses


def results(choice: Choice) -> Analysis:
    """The analysis that a page shows."""
    _forget_if_written(choice.spec)
    return analysis(choice.key, choice.settings)


def first_look(choice: Choice) -> Analysis:
    """The results without noise, which needs the reference texts: a page shows them until these are read."""
    return _first_look(_as_read(choice.key), choice.settings)


@st.cache_resource(max_entries=2, show_spinner=False)
def _first_look(key: TextKey, settings: Settings) -> Analysis:
    return analyze_reading(_reading(key), settings, references={})


def stable_roles(choice: Choice) -> pd.DataFrame:
    """The table of stable roles, which depends neither on the measure nor on the share of strong pairs."""
    return _stable_roles(_as_read(choice.key), choice.settings.with_special)


@st.cache_resource(max_entries=8, show_spinner=False)
def _stable_roles(key: TextKey, with_special: bool) -> pd.DataFrame:
    return roles_of(_reading(key), with_special)


def analysis(key: TextKey, settings: Settings) -> Analysis:
    """The strong pairs of a text, or of one of its windows, and their tables."""
    return _analysis(_as_read(key), settings)


@st.cache_resource(max_entries=8, show_spinner=False)
def _analysis(key: TextKey, settings: Settings) -> Analysis:
    text_read = _reading(key)
    with _progress("Choosing the strong pairs of") as progress:
        return analyze_reading(text_read, settings, progress)


# Results in folders


def opened(kind: str, folder: Path) -> Any:
    """The study or ablation in a folder. Raises InputError as `Results.open`."""
    places = [place for place in (folder / MANIFEST, folder / TABLES) if place.exists()]
    return _opened(kind, folder, max((place.stat().st_mtime_ns for place in places), default=0))


@st.cache_resource(max_entries=16, show_spinner="Opening the folder")
def _opened(kind: str, folder: Path, made: int) -> Any:  # noqa: ARG001
    """The study or ablation in a folder. made: when it was written, since a folder may get another run."""
    return KINDS[kind].opener().open(folder)
