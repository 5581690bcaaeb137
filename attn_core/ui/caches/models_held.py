"""The models that are held in memory, for all sessions: each once, whatever is put on it."""

from dataclasses import replace

import streamlit as st

from attn_core.analysis import reading_cache
from attn_core.models.files import WINDOW, ModelSpec
from attn_core.models.memory import HeldModels, half_of_memory
from attn_core.models.records import LoadedModel
from attn_core.models.windows import in_windows_of


@st.cache_resource(show_spinner=False)
def _models() -> HeldModels:
    return HeldModels(_load, half_of_memory())


def _load(spec: ModelSpec) -> LoadedModel:
    from attn_core.models.loading import load  # torch and transformers take seconds to import

    return load(spec)


def model(spec: ModelSpec) -> LoadedModel:
    """A model with its weights: not cached else, so that it can be let go.

    One without some heads, or with other windows, shares them.
    """
    held = in_windows_of(_models().get(_bare(spec)), spec.window_tokens)
    if spec.ablation is not None:
        from attn_core.models.ablation import ablated

        held = ablated(held, spec.ablation)
    return held


def _bare(spec: ModelSpec) -> ModelSpec:
    """The model whose weights all that is put on it shares."""
    return replace(spec, ablation=None, window_tokens=WINDOW)


@st.cache_data(max_entries=16, show_spinner=False)
def longest_window(spec: ModelSpec) -> int:
    """How many tokens a model reads at once, at most; known from an earlier start without its weights."""
    bare = _bare(spec)
    if (longest := reading_cache.find_longest(bare)) is None:
        reading_cache.keep_longest(loaded := model(bare))
        longest = loaded.longest
    return longest
