"""The only caches of the dashboard. Keys are small: model, text and settings, never an array or a table.

What is heavy and read-only is kept once for all sessions (`cache_resource`). A change of measure, share or special
tokens reaches `analysis` only, so that the model does not run again.
"""

import pandas as pd
import streamlit as st

from attn_core.analysis import Analysis, Reading, Settings, analyze_reading, read
from attn_core.models import LoadedModel, ModelSpec, load
from attn_core.passages import Layout, Passage, read_passages
from attn_core.texts import Document, read_document


@st.cache_resource(max_entries=2, show_spinner=False)
def model(spec: ModelSpec) -> LoadedModel:
    return load(spec)


@st.cache_resource(max_entries=16, show_spinner=False)
def document(text: str, language: str) -> Document:
    return read_document(text, language)


@st.cache_resource(max_entries=16, show_spinner=False)
def passages(spec: ModelSpec, text: str, language: str, layout: Layout) -> tuple[Passage, ...]:
    loaded = model(spec)
    return read_passages(document(text, language), loaded.tokenizer, loaded.max_tokens, layout)


@st.cache_resource(max_entries=4, show_spinner=False)
def reading(spec: ModelSpec, text: str, language: str, layout: Layout, window: int | None) -> Reading:
    """The head outputs; the attention maps are kept for a single window only, since they are the largest by far."""
    bar = st.empty()  # made in here: a cached function may only write to what it made itself

    def progress(done: int, windows: int) -> None:
        if windows > 1:
            bar.progress(done / windows, f"Reading window {done + 1} of {windows}")

    found = read(model(spec), document(text, language), layout, window, keep_maps=window is not None, progress=progress)
    bar.empty()
    return found


@st.cache_resource(max_entries=8, show_spinner=False)
def analysis(
    spec: ModelSpec, text: str, language: str, layout: Layout, window: int | None, settings: Settings
) -> Analysis:
    return analyze_reading(reading(spec, text, language, layout, window), settings)


@st.cache_data(max_entries=64, show_spinner=False)
def layers(
    spec: ModelSpec, text: str, language: str, layout: Layout, window: int | None, settings: Settings
) -> pd.DataFrame:
    """The layers table alone, for comparing many settings without keeping their strong pairs."""
    return analyze_reading(reading(spec, text, language, layout, window), settings).layers
