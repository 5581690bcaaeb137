"""What the Patterns page does with one text: which heads see a pattern, and its pairs in the text."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.patterns import ALPHA, score_map, similarity_against_attention
from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.patterns.placements import SPLITS
from attn_core.patterns.rules import RULES, Sought, pairs_of
from attn_core.patterns.scores import TOO_FEW
from attn_core.patterns.word_maps import MAPS
from attn_core.ui import derived
from attn_core.ui.components.pair_marker import pair_marker
from attn_core.ui.patterns.choice import mark, toggle, windows_in_words, windows_of
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.pick import head_chart
from attn_core.ui.widgets.show import beside_chance, facts

if TYPE_CHECKING:
    from attn_core.patterns.pair_scores import Seen
    from attn_core.patterns.placements import Estimate, Placements

EXAMPLE = next(iter(RULES))  # whose first pairs are marked for who asks for an example
MARKED_AT_ONCE = TOO_FEW


def find(view: TextView, sought: Sought) -> "tuple[Seen, Placements] | None":
    """The pairs in the text as every head sees them, and at other places of it; None, and why, where there are none."""
    choice, marked = view.choice, isinstance(sought, tuple)
    try:
        scored = derived.pattern(choice.key, windows_of(view, sought), sought, choice.settings.measure)
    except InputError as error:
        st.warning(plain(error), icon=":material/info:")
        return None
    if scored is None and marked:
        hint = "Click a word in the text, then the word that it pairs with: every head is scored at once."
        st.info(hint, icon=":material/touch_app:")
    elif scored is None:
        none = "This text has no such pair: choose another pattern, or mark pairs yourself."
        st.info(none, icon=":material/search_off:")
    return scored


def show_answer(seen: "Seen", placed: "Placements", before: float | None) -> None:
    """Whether any head sees it, in plain words; none where the pairs are too few or cannot be split."""
    if placed.on_other_words and len(seen) >= TOO_FEW:
        st.markdown(answer(placed.on_other_words, before))


def score_before(view: TextView, sought: Sought) -> float | None:
    """The score before any attention, None for a model whose states cannot be had."""
    choice = view.choice
    try:
        return derived.pattern_before_attention(choice.key, windows_of(view, sought), sought, choice.settings.measure)
    except InputError:
        return None


def show_facts(seen: "Seen", placed: "Placements", heads: pd.DataFrame) -> None:
    """How many pairs, which head sees them best, and how many heads see them at all."""
    best, above, sure = _best(heads), int((heads["p_adjusted"] < ALPHA).sum()), len(seen) >= TOO_FEW
    others = placed.on_other_words
    with facts():
        beside_chance("Pairs", f"{len(seen):,}", "enough to tell" if sure else f"too few to tell: {TOO_FEW} are")
        beside_chance(
            f"Best head{'' if sure else ' so far'}: {best}",
            f"{heads['score'].max():.0%}",
            "chance of a single head: 50%",
            "Mean percentile of the pairs among all pairs of like distance, in the head that sees them best.",
        )
        beside_chance(
            "On words that did not choose it",
            f"{others.score:.0%}" if others and sure else "–",
            "cannot be split: its pairs share words"
            if others is None
            else f"chance: {others.low:.0%} to {others.high:.0%}",
            f"The best of many heads is good by luck too: each half of the pattern's words, split {SPLITS} times at random, "
            "chooses a head for the pairs of the other.",
        )
        beside_chance(
            "Heads above chance",
            f"{above} of {len(heads)}" if sure else "–",
            f"by chance: any at all in {ALPHA:.0%} of patterns",
            "Beside the same pattern moved to other places, corrected over all heads.",
        )


def answer(others: "Estimate", before: float | None) -> str:
    """What the numbers say; each stands beside it. others: on words that did not choose the head. before: any attention."""
    score, low, high = others
    if score > high:
        said = "**Heads see this pattern**, more than by chance, on words too that did not choose the head."
    elif score < low:
        said = "**Heads see the opposite**: on words that did not choose the head, its pairs are less alike than by chance."
    else:
        said = (
            "**No head sees this pattern for sure**: on words that did not choose it, the best head is within chance."
        )
    if before is None:
        return said
    luck = (high - low) / 2
    if before > score + luck:
        return (
            f"{said} Before any attention (row 0) the words are more alike still: no head needs to have made them so."
        )
    if before + luck >= score:
        return f"{said} Before any attention (row 0) the words are as alike, within chance: no head needs to have made them so."
    return f"{said} There the head makes them more alike than they are before any attention (row 0)."


def show_map(view: TextView, seen: "Seen", heads: pd.DataFrame, before: float | None) -> None:
    """The map of scores, before any attention above, and a button that takes the best head for head A."""
    sure = len(seen) >= TOO_FEW
    st.header("Which heads see it", anchor=False)
    st.caption(
        "Percentile of the pairs among pairs as far apart; 50% is chance. **Click a cell: head A.**"
        + (" Bold: above chance." if sure else " Too few pairs to tell: no verdict.")
    )
    head_chart(
        view.marked(score_map(heads, sure, before)), "pattern-map", "How well every head sees the pattern by similarity"
    )
    best = str(_best(heads))
    st.button(
        f"Make {best} head A",
        icon=":material/star:",
        on_click=st.session_state.update,
        args=({"a": best},),
        disabled=best == str(view.head_a),
    )


def show_attention(view: TextView, heads: pd.DataFrame) -> None:
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


def show_text(view: TextView, seen: "Seen | None", sought: Sought) -> None:
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


def offer_patterns(view: TextView) -> None:
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


def _notes(view: TextView, seen: "Seen", here: np.ndarray) -> list[str]:
    kind = MAPS.index(view.choice.settings.measure)
    values, ranks = seen.values[kind][view.head_a][here], seen.percentile[kind][view.head_a][here]
    return [f"{value:.3g} (above {rank:.0%})" for value, rank in zip(values, ranks, strict=True)]


def _words(view: TextView) -> tuple[Any, ...]:
    """The words of the shown window, where they stand, and what the heads give them."""
    return derived.word_outputs(view.choice.key.at(view.window.passage.index))
