"""Choosing one token of the text."""

import pandas as pd
import streamlit as st

from attn_core.measures.anchors import TokenCoverage


def choose_token(heads: pd.DataFrame, found: TokenCoverage, labels: dict[int, str]) -> int:
    """The id of a token, those that are the anchor of most heads first; heads: one row a head, with anchor_id."""
    leading = heads["anchor_id"].value_counts()
    counted = zip(found.token_ids.tolist(), found.occurrences.tolist(), strict=True)
    ordered = sorted((-leading.get(token_id, 0), -times, token_id) for token_id, times in counted)
    ids: dict[str, int] = {}
    for *_, token_id in ordered:
        ids.setdefault(labels[token_id], token_id)
    chosen = ids[st.selectbox("Token (the anchor of most heads first)", list(ids), key="token", bind="query-params")]
    times = int(found.occurrences[found.token_ids == chosen][0])
    st.caption(f"The anchor of {leading.get(chosen, 0)} of {len(heads)} heads; {times} times in the text.")
    return chosen
