"""A pattern in one text: which heads see it, and its pairs among the words."""

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.patterns import score_map
from attn_core.charts.scatter import scatter
from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.measures.statistics import Statistic
from attn_core.patterns.pair_scores import Seen
from attn_core.patterns.rules import Sought
from attn_core.patterns.scores import ENOUGH
from attn_core.patterns.word_maps import MAPS
from attn_core.ui import derived
from attn_core.ui.components.pair_marker import pair_marker
from attn_core.ui.patterns.choice import key_of, toggle, window_numbers
from attn_core.ui.shell.view import View
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.pick import head_chart

SCORE = Statistic("score", "score of similarity", "share", "")
ATTENTION = Statistic("attention", "score of attention, the better direction", "share", "")


def find(view: View, sought: Sought) -> Seen | None:
    """The pairs in the text as every head sees them; None, and why, where there are none."""
    try:
        seen = derived.pattern(key_of(view, sought), sought)
    except InputError as error:
        st.warning(plain(error), icon=":material/info:")
        return None
    if seen is None and isinstance(sought, tuple):
        st.markdown("**Click a word in the text, then the word that it pairs with.**")
    elif seen is None:
        st.markdown("**This text has no such pair.** Choose another pattern, or mark pairs of your own.")
    return seen


def show_answer(view: View, sought: Sought, seen: Seen, heads: pd.DataFrame) -> None:
    """Which head sees the pattern best, and how well one does that was chosen on other words; of few pairs no head is named."""
    if len(seen) < ENOUGH:
        st.markdown(f"**Pairs: {len(seen)}.** With fewer than {ENOUGH} no head is named.")
        return
    best = heads.loc[heads["score"].idxmax()]
    held_out = derived.held_out(key_of(view, sought), sought, view.choice.settings.measure)
    on_others = (
        "All of them share a word, so that none can be held out."
        if held_out is None
        else f"A head that one half of their words chose scores **{held_out:.0%}** on the other half (chance 50%)."
    )
    st.markdown(f"**{Head.of_row(best['layer'], best['head'])} sees these {len(seen):,} pairs best.** {on_others}")


def show_map(view: View, sought: Sought, heads: pd.DataFrame) -> None:
    """The score of every head, and of the states that enter the first layer where these can be had."""
    try:
        before = derived.pattern_before_attention(key_of(view, sought), sought, view.choice.settings.measure)
    except InputError:
        before = None
    title = "How well every head sees the pattern by similarity"
    head_chart(view.marked(score_map(heads, before)), "pattern-map", title)


def show_attention(view: View, heads: pd.DataFrame) -> None:
    """The scores by similarity against those by attention."""
    st.header("By similarity and by attention", anchor=False)
    title = "The pattern by similarity against by attention, every head a point"
    attention = heads[["attends", "attended"]].max(axis=1)
    data = heads.assign(attention=attention, chance_attention=heads["chance_score"])
    head_chart(
        view.marked(scatter(data, ATTENTION, SCORE, tooltip=("attends", "attended"))), "pattern-attention", title
    )


def show_text(view: View, seen: Seen | None, sought: Sought) -> None:
    """The shown window with its pairs, and their values in head A."""
    st.header("The text and its pairs", anchor=False)
    view.choose_window(f"Pairs of these windows are scored: {window_numbers(view, sought)}.")
    passage = view.window.passage
    text, words, _ = derived.word_outputs(view.choice.key.at(passage.index))
    before = [int(words.starts[0]), *words.ends[:-1].tolist()] if len(words.starts) else []
    spaces = [passage.document.text[end:start] for end, start in zip(before, words.starts.tolist(), strict=True)]
    here = np.array([], dtype=int) if seen is None else np.flatnonzero(seen.windows == passage.index)
    pairs = [] if seen is None else [(int(a), int(b)) for a, b in seen.pairs[here]]
    notes = [] if seen is None else _notes(view, seen, here)
    pair_marker(text.words, spaces, pairs, notes, on_pair=toggle, key=f"pairs-{view.identity}")


def _notes(view: View, seen: Seen, here: np.ndarray) -> list[str]:
    kind = MAPS.index(view.choice.settings.measure)
    values, ranks = seen.values[kind][view.head_a][here], seen.percentile[kind][view.head_a][here]
    return [f"{value:.3g} (above {rank:.0%})" for value, rank in zip(values, ranks, strict=True)]
