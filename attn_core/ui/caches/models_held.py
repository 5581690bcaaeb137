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
    """A model with its weights. One under an intervention, or with other windows, shares them."""
    held = in_windows_of(_loaded(replace(spec, intervention=None, window_tokens=WINDOW)), spec.window_tokens)
    if spec.intervention is not None:
        from attn_core.models.intervened import intervened

        held = intervened(held, spec.intervention)
    return held
