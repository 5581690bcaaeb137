"""Tables of one window in long format: tokens, strong pairs, and attention received by token and head."""

import numpy as np
import pandas as pd

from attn_core.measures.frames import head_frame
from attn_core.measures.pair_properties import same_sentence
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage


def token_table(passage: Passage) -> pd.DataFrame:
    """One row per token; sentences are numbered from 1, with -1 for none."""
    return pd.DataFrame(
        {
            "window": passage.index + 1,
            "position": np.arange(len(passage)),
            "token": passage.tokens,
            "token_id": passage.token_ids,
            "start": passage.starts,
            "end": passage.ends,
            "sentence": np.where(passage.sentences < 0, -1, passage.sentences + 1),
            "is_special": passage.is_special,
            "is_separator": passage.is_separator,
        }
    )


def pair_table(pairs: StrongPairs) -> pd.DataFrame:
    """One row per strong pair of every head."""
    passage = pairs.passage
    tokens = pd.array(passage.tokens, dtype="str")  # converted once: plain objects would be converted cell by cell
    first, second = pairs.first, pairs.second
    columns = {
        "window": passage.index + 1,
        "first": first,
        "second": second,
        "first_token": tokens[first.ravel()],
        "second_token": tokens[second.ravel()],
        "similarity": pairs.similarity,
        "distance": pairs.distance,
        "same_sentence": same_sentence(passage, first, second),
    }
    return head_frame(columns, *pairs.shape)


def attention_table(passage: Passage, output: HeadOutputs) -> pd.DataFrame:
    """The attention that each token receives from each head, mean over queries, with its chance level."""
    received = as_array(output.received)
    columns = {
        "window": passage.index + 1,
        "position": np.broadcast_to(np.arange(len(passage)), received.shape),
        "received": received,
        "chance_received": np.broadcast_to(output.even[:, None], received.shape),
    }
    return head_frame(columns, *received.shape)
