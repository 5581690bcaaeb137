"""Patterns: mark word pairs in the text or choose a rule, and learn which heads see them."""

import re
import time
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.patterns.pair_scores import PairScores
from attn_core.patterns.rules import RULES, MarkedPairs, OwnRule, Pattern
from attn_core.patterns.scores import ENOUGH, MAPS
from attn_core.ui import derived
from attn_core.ui.components.pair_marker import pair_marker
from attn_core.ui.corpus.relations import show_relations
from attn_core.ui.readings import TextKey
from attn_core.ui.shell import page
from attn_core.ui.shell.page import View, head_part
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import explanation, number_input, one_of
from attn_core.ui.widgets.escape import plain

MARKED, OWN = "Pairs that I mark", "A rule of my own"
MARKS, MARKS_OF, KEPT = "marks", "marks_of", "marks_kept"
IN_A_ROW = 3.0  # seconds: a pair that is marked so soon after another may come before the page has run for that one
PAIR = re.compile(r"(\d+)-(\d+)")
MOST = 200  # characters of an expression
FIRST, SECOND, FARTHEST = "the|a", r"\w+s", 3  # of a rule of one's own that nobody has changed
WHERE = {"after the first": "forward", "before the first": "backward", "on either side": "either"}


def choose(view: View) -> Pattern:
    """The pattern that widgets choose: a rule, a rule of the user's own, or marked pairs."""
    name = one_of("Pattern", [*RULES, OWN, MARKED], "pattern", derived.usual_pattern(view.choice.key))
    if name == MARKED:
        return _marks(view)
    st.session_state.pop(KEPT, None)
    if name == OWN:
        return _own_rule()
    st.caption(plain((RULES[name].__doc__ or "").splitlines()[0]))
    return name


def _own_rule() -> OwnRule:
    with st.container(horizontal=True):  # columns would stand below each other here
        first = st.text_input(
            "First word (regular expression)", FIRST, key="first", bind="query-params", max_chars=MOST
        )
        second = st.text_input("Second word", SECOND, key="second", bind="query-params", max_chars=MOST)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        where = one_of("The second stands", list(WHERE), "where", width=180)
        farthest = number_input("Largest distance, in words", 1, 500, FARTHEST, key="farthest", width=180)
        within = st.toggle("In one sentence", True, key="within", bind="query-params")
        different = st.toggle("Different words only", key="different", bind="query-params")
    return OwnRule(first, second, WHERE[where], farthest, bool(within), bool(different))  # type: ignore[arg-type]


def _marks(view: View) -> Pattern:
    """The marked pairs of the shown window, from the text field that holds them; none for another text or window."""
    if st.session_state.get(MARKS_OF, view.identity) != view.identity:
        st.session_state[MARKS] = ""
    elif st.query_params.get(MARKS, "") != (here := st.session_state.get(MARKS, "")):
        st.session_state[MARKS] = here  # once more: the browser missed it where one run broke off another
    st.session_state[MARKS_OF] = view.identity
    look: Any = {"placeholder": "none yet: click two words in the text", "help": explanation(MARKS)}
    marks = parse(st.text_input("Marked pairs, by word number", key=MARKS, bind="query-params", max_chars=1000, **look))
    words = len(derived.word_outputs(view.choice.key.at(view.window.passage.index))[0]) if marks else 0
    if beyond := tuple(pair for pair in marks if max(pair) >= words):
        st.warning(f"Left out, since this window has {words:,} words: {written_as(beyond)}.", icon=":material/info:")
    return tuple(pair for pair in marks if pair not in beyond)


def key_of(view: View, sought: Pattern) -> TextKey:
    """The text that a pattern is scored in; only the shown window for marked pairs."""
    return view.choice.key.at(view.window.passage.index) if isinstance(sought, tuple) else view.choice.key


def window_numbers(view: View, sought: Pattern) -> str:
    """The numbers of the windows that a pattern was scored in, as text."""
    return ", ".join(str(window + 1) for window in derived.windows_scored(key_of(view, sought)))


def parse(written: str) -> MarkedPairs:
    """ "12-40 3-9" -> ((12, 40), (3, 9)), each pair once; a word with itself is none."""
    pairs = [(int(a), int(b)) for a, b in PAIR.findall(written)]
    return tuple(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))


def written_as(marks: MarkedPairs) -> str:
    """((12, 40), (3, 9)) -> "12-40 3-9"."""
    return " ".join(f"{a}-{b}" for a, b in marks)


def toggle(a: int, b: int) -> None:
    """Mark a pair, or remove its mark; the first mark replaces the rule that was shown.

    The session decides and not the page that drew the text: a second pair may be marked before the page runs again. The
    browser then still has the pattern and the field of before the first.
    """
    at, marks = st.session_state.get(KEPT, (-IN_A_ROW, ()))
    if time.monotonic() - at > IN_A_ROW:
        marks = parse(st.session_state.get(MARKS, "")) if st.session_state.get("pattern") == MARKED else ()
    left = tuple(pair for pair in marks if set(pair) != {a, b})
    marks = left if len(left) < len(marks) else (*marks, (a, b))
    st.session_state.update({"pattern": MARKED, KEPT: (time.monotonic(), marks), MARKS: written_as(marks)})


def choices_of(view: View, sought: Pattern) -> dict[str, object]:
    """The choices of a pattern's tables, for their provenance."""
    pattern = written_as(sought) if isinstance(sought, tuple) else str(sought)
    return {"pattern": pattern, "unit_of_pairs": "words", "windows": window_numbers(view, sought)}


def find(view: View, sought: Pattern) -> PairScores | None:
    """The scores of the pairs in every head; None, with the reason on the page, where there are none."""
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


def show_answer(view: View, sought: Pattern, seen: PairScores, heads: pd.DataFrame) -> None:
    """Draw the sentence that names the best head and the held-out score; no head where there are few pairs."""
    if len(seen) < ENOUGH:
        st.markdown(f"**Pairs: {len(seen)}.** With fewer than {ENOUGH} no head is named.")
        return
    best = heads.loc[heads["score"].idxmax()]
    held_out = derived.held_out(key_of(view, sought), sought, view.choice.settings.measure)
    on_others = (
        "All of them share a word, so that none can be held out; chance: 50%."
        if held_out is None
        else f"Cross-validated (head chosen on half of the words): **{held_out:.1%}**; chance: 50%."
    )
    name = Head.of_row(best["layer"], best["head"])
    st.markdown(f"**{name} ranks these {len(seen):,} pairs highest ({best['score']:.1%}).** {on_others}")


def show_map(view: View, sought: Pattern, heads: pd.DataFrame) -> None:
    """Draw the score of every head, and that of the states that enter the first layer where these can be read."""
    try:
        before = derived.pattern_before_attention(key_of(view, sought), sought, view.choice.settings.measure)
    except InputError:
        before = None
    view.show("pattern", tables={"scores": lambda: heads}, inputs=(key_of(view, sought), sought), before=before)


def show_text(view: View, seen: PairScores | None, sought: Pattern) -> None:
    """Draw the shown window with its pairs, and their values in head A."""
    st.header("The text and its pairs", anchor=False)
    view.choose_window(f"Pairs of these windows are scored: {window_numbers(view, sought)}.")
    passage = view.window.passage
    text, words, _ = derived.word_outputs(view.choice.key.at(passage.index))
    before = [int(words.starts[0]), *words.ends[:-1].tolist()] if len(words.starts) else []
    spaces = [passage.document.shown[end:start] for end, start in zip(before, words.starts.tolist(), strict=True)]
    here = np.array([], dtype=int) if seen is None else np.flatnonzero(seen.windows == passage.index)
    pairs = [] if seen is None else [(int(a), int(b)) for a, b in seen.pairs[here]]
    notes = [] if seen is None else _notes(view, seen, here)
    pair_marker(text.words, spaces, pairs, notes, on_pair=toggle, key=f"pairs-{view.identity}")


def _notes(view: View, seen: PairScores, here: np.ndarray) -> list[str]:
    kind = MAPS.index(view.choice.settings.measure)
    values, ranks = seen.values[kind][view.head_a][here], seen.percentile[kind][view.head_a][here]
    return [f"{value:.3g} (above {rank:.0%})" for value, rank in zip(values, ranks, strict=True)]


def show_heads(view: View, heads: pd.DataFrame, sought: Pattern) -> None:
    """Draw the table of all heads, the best first."""
    columns = {
        "score": show.share_column("score by similarity", "Chance is 50%, also by attention."),
        "attends": show.share_column("score by attention first → second"),
        "attended": show.share_column("score by attention second → first"),
    }
    table, order = heads.sort_values("score", ascending=False, kind="stable"), ["layer", "head", *columns]
    show.table(table, "pattern-heads", columns, choices=choices_of(view, sought), column_order=order, fold="Every head")


def show_pairs(view: View, seen: PairScores, sought: Pattern) -> None:
    """Draw the table of all pairs in head A."""
    st.caption("The pairs of the pattern in this head.")
    number = st.column_config.NumberColumn
    pairs = pair_table(view, seen)
    columns = {
        "first_word": st.column_config.TextColumn("first", width=60),
        "second_word": st.column_config.TextColumn("second", width=60),
        "distance": number("distance", width=58),
        "similarity": number("similarity", format=show.aligned(pairs["similarity"]), width=62),
        "percentile": number("percentile", format=show.PERCENT, width=66),
        "attends": number("1st → 2nd", help="Attention of the first word to the second", format="%.3f", width=66),
        "attended": number("2nd → 1st", help="Attention of the second word to the first", format="%.3f", width=66),
    }
    order = [*columns, *(["window"] if pairs["window"].nunique() > 1 else [])]
    choices = choices_of(view, sought)
    show.table(pairs, "pattern-pairs", columns, choices=choices, column_order=order, height=300)


def pair_table(view: View, seen: PairScores) -> pd.DataFrame:
    """One row per pair in head A: window, words, their numbers, distance, similarity, percentile, attention."""
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


def _words_of_pairs(view: View, seen: PairScores) -> list[list[str]]:
    """The first words of all pairs, and their second words."""
    windows = seen.windows.tolist()
    words = {window: derived.word_outputs(view.choice.key.at(window))[0].words for window in set(windows)}
    return [[words[window][word] for window, word in zip(windows, end, strict=True)] for end in seen.pairs.T.tolist()]


view = page.begin()
answer, text = st.columns(2, gap="large")
with answer:
    sought = choose(view)
    seen = find(view, sought)
with text:  # at the top, whatever is marked: a word must not move between two clicks
    show_text(view, seen, sought)
if seen is not None:
    heads = view.kept(("pattern", key_of(view, sought), sought), partial(seen.heads, view.choice.settings.measure))
    with answer:
        show_answer(view, sought, seen, heads)
        show_map(view, sought, heads)
    left, right = st.columns(2, gap="large")
    with left, head_part(view):
        show_pairs(view, seen, sought)
    with right:
        st.header("By similarity and by attention", anchor=False)
        view.show("pattern-attention", tables={"scores": lambda: heads}, inputs=(key_of(view, sought), sought))
    show_heads(view, heads, sought)
show.folded("Over many texts: the relations of a study", "relations", show_relations)
show.help("Patterns")
