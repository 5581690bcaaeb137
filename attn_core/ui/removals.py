"""What removed heads change in one window: effects, and what the model makes of it without some of them."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.errors import ModelError
from attn_core.head import Head
from attn_core.models.files import ModelSpec
from attn_core.models.removal import Removal, Replace
from attn_core.texts.passages import Passage
from attn_core.ui import readings
from attn_core.ui.choice import TextKey

if TYPE_CHECKING:
    from attn_core.interventions.effects import Effects
    from attn_core.models.language_head import LanguageHead


def passage_of(key: TextKey) -> Passage:
    """The one window of a key, by its tokens, whatever pairs are of."""
    return readings.passages(key)[key.number - 1]


@st.cache_data(max_entries=128, show_spinner="Taking the heads away")
def effect(key: TextKey, removed: tuple[Head, ...], how: Replace) -> "Effects":
    """The effect of removing these heads together."""
    from attn_core.interventions.effects import effects_of

    return effects_of(readings.model(key.spec), passage_of(key), [removed], how)


@st.cache_data(max_entries=256, show_spinner=False)
def effects(key: TextKey, removals: list[tuple[Head, ...]], how: Replace) -> np.ndarray:
    """Effect on the sentence embedding of each removal, (R,)."""
    from attn_core.interventions.effects import effects_of

    return effects_of(readings.model(key.spec), passage_of(key), removals, how).embedding


@st.cache_data(max_entries=32, show_spinner=False)
def estimate(key: TextKey, how: Replace) -> np.ndarray:
    """The estimated importance of every head, (layer, head)."""
    from attn_core.interventions.effects import estimated_importance

    return estimated_importance(readings.model(key.spec), passage_of(key), how)


@st.cache_resource(max_entries=1, show_spinner="Looking for a language-model head in the weights")
def language_head(spec: ModelSpec) -> "LanguageHead | str":
    """The head of a whole model, or in a sentence why there is none."""
    from attn_core.models.language_head import language_head as found

    try:
        return found(readings.model(spec))
    except ModelError as error:
        return str(error)


def entropies(key: TextKey, removal: Removal | None) -> pd.DataFrame:
    """Entropy and cross-entropy by layer of one window, with all heads or without some; not cached."""
    from attn_core.models.entropies import entropies as by_layer

    head = language_head(key.spec)
    assert not isinstance(head, str), "nothing can be asked of a model without a language-model head"
    return by_layer(readings.model(replace(key.spec, ablation=removal)), head, passage_of(key))
