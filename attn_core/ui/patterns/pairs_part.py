"""What the Patterns page does with one text: which heads see a pattern, and its pairs in the text."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.patterns import score_map, similarity_against_attention
from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.patterns.rules import RULES, Sought, pairs_of
from attn_core.patterns.scores import ENOUGH
from attn_core.patterns.word_maps import MAPS
from attn_core.ui import derived
from attn_core.ui.components.pair_marker import pair_marker
from attn_core.ui.patterns.choice import mark, toggle, windows_in_words, windows_of
from attn_core.ui.shell.view import View
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.pick import head_chart

if TYPE_CHECKING:
    from attn_core.patterns.pair_scores import Seen

EXAMPLE = next(iter(RULES))  # whose first pairs are marked for who asks for an example
MARKED_AT_ONCE = 5


def find(view: View, sought: Sought) -> "Seen | None":
    """The pairs in the text as every head sees them; None, and why, where there are none."""
    marked = isinstance(sought, tuple)
    try:
        seen = derived.pattern(view.choice.key, windows_of(view, sought), sought)
    except InputError as error:
        st.warning(plain(error), icon=":material/info:")
        return None
    if seen is None and marked:
        hint = "Click a word in the text, then the word that it pairs with: every head is scored at once."
        st.info(hint, icon=":material/touch_app:")
    elif seen is None:
        none = "This text has no such pair: choose another pattern, or mark pairs yourself."
        st.info(none, icon=":material/search_off:")
    return seen


def show_answer(view: View, sought: Sought, seen: "Seen", heads: pd.DataFrame, before: float | None) -> None:
    """How well the best head sees it, in a sentence, with its score on other words; with few pairs no head is named."""
    if len(seen) < ENOUGH:
        st.markdown(f"**Pairs: {len(seen)}.** With fewer than {ENOUGH} no head is named.")
        return
    held_out = derived.held_out(view.choice.key, windows_of(view, sought), sought, view.choice.settings.measure)
    on_others = (
        "All of them share a word, so that none can be held out."
        if held_out is None
        else f"A head that one half of their words chose gives the other half {held_out:.0%}."
    )
    row_0 = "" if before is None else f" Before any attention (row 0): {before:.0%}."
    st.markdown(
        f"**{_best(heads)} sees the {len(seen):,} pairs best: {heads['score'].max():.0%}**, by chance 50%. {on_others}{row_0}"
    )


def score_before(view: View, sought: Sought) -> float | None:
    """The score before any attention, None for a model whose states cannot be had."""
    choice = view.choice
    try:
        return derived.pattern_before_attention(choice.key, windows_of(view, sought), sought, choice.settings.measure)
    except InputError:
        return None


def show_map(view: View, seen: "Seen", heads: pd.DataFrame, before: float | None) -> None:
    """The map of scores, before any attention above, and a button that takes the best head for head A."""
    st.header("Which heads see it", anchor=False)
    st.caption("Percentile of the pairs among pairs as far apart; 50% is chance. **Click a cell: head A.**")
    head_chart(
        view.marked(score_map(heads, before)), "pattern-map", "How well every head sees the pattern by similarity"
    )
    if len(seen) < ENOUGH:
        return
    best = str(_best(heads))
    st.button(
        f"Make {best} head A",
        icon=":material/star:",
        on_click=st.session_state.update,
        args=({"a": best},),
        disabled=best == str(view.head_a),
    )


def show_attention(view: View, heads: pd.DataFrame) -> None:
    """Similarity against attention."""
    st.header("By similarity, by attention", anchor=False)
    st.caption(
        "The same pairs by the weight that one word's attention gives the other, in the direction that sees them better. "
        "Dashed: chance."
    )
    head_chart(
        view.marked(similarity_against_attention(heads)),
        "pattern-attention",
        "The pattern by similarity against by attention, every head a point",
    )


def _best(heads: pd.DataFrame) -> Head:
    best = heads.loc[heads["score"].idxmax()]
    return Head.of_row(best["layer"], best["head"])


def show_text(view: View, seen: "Seen | None", sought: Sought) -> None:
    """The shown window with its pairs, and their values in head A."""
    passage, (text, words, _) = view.window.passage, _words(view)
    here = np.array([], dtype=int) if seen is None else np.flatnonzero(seen.windows == passage.index)
    pairs = [] if seen is None else [(int(a), int(b)) for a, b in seen.pairs[here]]
    notes = [] if seen is None else _notes(view, seen, here)
    st.header("The text and its pairs", anchor=False)
    view.choose_window(windows_in_words(view, sought))
    st.caption("**Click a word, then another, to mark a pair of your own.**")
    # What stands before each word.
    before = [int(words.starts[0]), *words.ends[:-1].tolist()] if len(words.starts) else []
    spaces = [passage.document.text[end:start] for end, start in zip(before, words.starts.tolist(), strict=True)]
    pair_marker(text.words, spaces, pairs, notes, on_pair=toggle, key=f"pairs-{view.identity}")


def offer_patterns(view: View) -> None:
    """For who has no pair yet: the patterns that the shown window has, each a click away, and a few pairs to mark."""
    text, *_ = _words(view)
    found = {name: pairs_of(name, text) for name in RULES}
    st.header("What this text has", anchor=False)
    st.caption("**Click a pattern to see which heads see it**, or mark pairs in the text.")
    for name, pairs in found.items():
        label, icon = f"{name}: {len(pairs):,} {'pair' if len(pairs) == 1 else 'pairs'}", ":material/arrow_forward:"
        st.button(
            label,
            icon=icon,
            key=f"take-{slug(name)}",
            disabled=not pairs,
            on_click=st.session_state.update,
            args=({"pattern": name},),
        )
    if some := tuple((int(a), int(b)) for a, b in found[EXAMPLE][:MARKED_AT_ONCE]):
        names = ", ".join(f"“{plain(text.words[a])} … {plain(text.words[b])}”" for a, b in some)
        st.button(f"Mark an example: {names}", icon=":material/lightbulb:", key="example", on_click=mark, args=(some,))


def _notes(view: View, seen: "Seen", here: np.ndarray) -> list[str]:
    kind = MAPS.index(view.choice.settings.measure)
    values, ranks = seen.values[kind][view.head_a][here], seen.percentile[kind][view.head_a][here]
    return [f"{value:.3g} (above {rank:.0%})" for value, rank in zip(values, ranks, strict=True)]


def _words(view: View) -> tuple[Any, ...]:
    """The words of the shown window, where they stand, and what the heads give them."""
    return derived.word_outputs(view.choice.key.at(view.window.passage.index))
