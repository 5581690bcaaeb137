"""The models that are held in memory, for all sessions: each once, whatever is put on it."""

from dataclasses import replace

import streamlit as st

from attn_core.models.files import WINDOW, ModelSpec
from attn_core.models.records import LoadedModel
from attn_core.models.windows import in_windows_of


@st.cache_resource(max_entries=2, show_spinner=False)
def _loaded(spec: ModelSpec) -> LoadedModel:
    from attn_core.models.loading import load  # torch and transformers take seconds to import

    return load(spec)


def model(spec: ModelSpec) -> LoadedModel:
    """A model with its weights. One without some heads, or with other windows, shares them."""
    held = in_windows_of(_loaded(replace(spec, ablation=None, window_tokens=WINDOW)), spec.window_tokens)
    if spec.ablation is not None:
        from attn_core.models.ablation import ablated

        held = ablated(held, spec.ablation)
    return held
