"""The tables of the Patterns page: every head, and every pair in head A."""

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.patterns.pair_scores import Seen
from attn_core.patterns.rules import Sought
from attn_core.patterns.word_maps import MAPS
from attn_core.ui import derived
from attn_core.ui.patterns.choice import choices_of
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show

EXAMPLES = 3  # pairs a head


def show_heads(view: View, seen: Seen, heads: pd.DataFrame, sought: Sought) -> None:
    """Every head, the best first, with the pairs that it makes most alike."""
    columns = {
        "score": show.share_column("score"),
        "chance_score": show.share_column("chance"),
        "attends": show.share_column("attention to", "Score of the first word's attention to the second"),
        "attended": show.share_column("attention from", "Score of the second word's attention to the first"),
    }
    table, fold = head_table(view, seen, heads), "Every head, with the pairs that it makes most alike"
    show.table(table, "pattern-heads", columns, choices=choices_of(view, sought), fold=fold)


def show_pairs(view: View, seen: Seen, sought: Sought) -> None:
    """Every pair in head A."""
    number = st.column_config.NumberColumn
    pairs = pair_table(view, seen)
    columns = {
        "first_word": st.column_config.TextColumn("first", width=60),
        "second_word": st.column_config.TextColumn("second", width=60),
        "distance": number("distance", width=58),
        "similarity": number("similarity", format=show.aligned(pairs["similarity"]), width=62),
        "percentile": number("percentile", format=show.PERCENT, width=66),
        "attends": number("attends", help="Attention of the first word to the second", format="%.3f", width=58),
        "attended": number("attended", help="Attention of the second word to the first", format="%.3f", width=64),
    }
    order = [*columns, *(["window"] if pairs["window"].nunique() > 1 else [])]
    asked = choices_of(view, sought)
    show.table(pairs, "pattern-pairs", columns, choices=asked, column_order=order)


def pair_table(view: View, seen: Seen) -> pd.DataFrame:
    """One row a pair, in head A: window, words, their numbers, distance, similarity, percentile, attention both ways."""
    kind, head = MAPS.index(view.choice.settings.measure), view.head_a
    first, second = _words_of_pairs(view, seen)
    return pd.DataFrame(
        {
            "window": seen.windows + 1, "first_word": first, "second_word": second,
            "first": seen.pairs[:, 0], "second": seen.pairs[:, 1], "distance": seen.pairs[:, 1] - seen.pairs[:, 0],
            "similarity": seen.values[kind][head], "percentile": seen.percentile[kind][head], "chance_percentile": 0.5,
            "attends": seen.values[MAPS.index("attends")][head], "attended": seen.values[MAPS.index("attended")][head],
            "layer": head.row[0], "head": head.row[1],
        }
    )  # fmt: skip


def head_table(view: View, seen: Seen, heads: pd.DataFrame) -> pd.DataFrame:
    """The heads by falling score, each with the pairs that it makes most alike."""
    first, second = _words_of_pairs(view, seen)
    ranks = seen.percentile[MAPS.index(view.choice.settings.measure)].reshape(len(heads), -1)
    best = np.argsort(-ranks, axis=1, kind="stable")[:, :EXAMPLES]
    examples = [" · ".join(dict.fromkeys(f"{first[at]} – {second[at]}" for at in row)) for row in best]
    return heads.assign(examples=examples).sort_values("score", ascending=False, kind="stable")


def _words_of_pairs(view: View, seen: Seen) -> list[list[str]]:
    """The first words of all pairs, and the second ones."""
    windows = seen.windows.tolist()
    words = {window: derived.word_outputs(view.choice.key.at(window))[0].words for window in set(windows)}
    return [[words[window][word] for window, word in zip(windows, end, strict=True)] for end in seen.pairs.T.tolist()]
