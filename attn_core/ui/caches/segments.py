"""What Segmentation computes, kept between reruns: sentences as they were read, heads, and what each method finds.

Keys are those of the whole text (`TextKey.whole`): sentences are read one by one, in whatever window they stand.
"""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from attn_core.head import Head
from attn_core.ui.caches import models_held, readings
from attn_core.ui.choice import TextKey

if TYPE_CHECKING:
    from attn_core.segmentation import HeadChoice, Segmentation, SentenceOutputs


@st.cache_resource(max_entries=8, show_spinner=False)
def sentence_outputs(key: TextKey) -> "SentenceOutputs":
    """The sentences of the whole text, however many windows it takes, as the model reads them."""
    from attn_core.segmentation import SentenceOutputs  # nltk takes most of a second to import

    return SentenceOutputs(models_held.model(key.spec), readings.document(key.text, key.language))


@st.cache_resource(max_entries=8, show_spinner="Finding the heads that see topics")
def topic_heads(key: TextKey) -> "HeadChoice":
    """How every head weighs by the text itself."""
    from attn_core.segmentation import usual_heads

    return usual_heads(sentence_outputs(key))


@st.cache_resource(max_entries=64, show_spinner="Reading the sentences")
def segments(
    key: TextKey, method: str, own: tuple[Head, ...], paragraphs: bool, number: int | None = None
) -> "Segmentation":
    """What a method finds in a text, by its own number of segments where none is given.

    own: the user's own heads; where there are none, all by their weights. paragraphs: as of `segment`.
    """
    from attn_core.segmentation import by_name, segment

    chosen = by_name(method)
    heads = own or topic_heads(key) if chosen.uses_heads else None
    return segment(chosen, sentence_outputs(key), heads, number, paragraphs)


@st.cache_data(max_entries=16, show_spinner="Scoring every method")
def gold_scores(key: TextKey, own: tuple[Head, ...], paragraphs: bool) -> pd.DataFrame:
    """Every segmentation method against the gold boundaries of a text, as `gold_texts.score_methods`."""
    from attn_core.segmentation.gold_texts import score_methods

    return pd.DataFrame(score_methods(sentence_outputs(key), heads=own or topic_heads(key), paragraphs=paragraphs))
