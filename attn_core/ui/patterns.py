"""What the Patterns page does with one text: the choice of a pattern, the heads that see it, and its pairs."""

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.patterns import ALPHA, score_map, similarity_against_attention
from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.patterns.rules import PRONOUNS, RULES, OwnRule, Sought, TextWords, names_before, pronoun_and_name
from attn_core.patterns.scores import TOO_FEW
from attn_core.patterns.word_maps import MAPS
from attn_core.ui import cache, show
from attn_core.ui.escape import plain
from attn_core.ui.fact import beside_chance, facts
from attn_core.ui.frame import TextView
from attn_core.ui.pair_marker import pair_marker
from attn_core.ui.pick import head_chart

if TYPE_CHECKING:
    from attn_core.patterns.found import Seen

MARKED, OWN = "Pairs that I mark", "A rule of my own"
MARKS, MARKS_OF = "marks", "marks_of"
PAIR = re.compile(r"(\d+)-(\d+)")
MOST = 200  # characters of an expression
WHERE = {"after the first": "forward", "before the first": "backward", "on either side": "either"}
EXAMPLES = 3
PRONOUNS_RULE = next(name for name, rule in RULES.items() if rule is pronoun_and_name)


def choose(view: TextView) -> Sought:
    """The pattern that the user wants."""
    left, right = st.columns([2, 3], gap="large")
    options = [*RULES, OWN, MARKED]
    name = left.selectbox("Pattern", options, key="pattern", bind="query-params")
    with right:
        if name == MARKED:
            return _marks(view)
        if name == OWN:
            return _own_rule()
        st.caption(plain((RULES[name].__doc__ or "").splitlines()[0]))
    return name


def _own_rule() -> OwnRule:
    one, two = st.columns(2)
    first = one.text_input("First word (regular expression)", "the|a", key="first", bind="query-params", max_chars=MOST)
    second = two.text_input("Second word", r"\w+s", key="second", bind="query-params", max_chars=MOST)
    left, middle, right = st.columns(3)
    where = left.selectbox("The second stands", list(WHERE), key="where", bind="query-params")
    farthest = middle.number_input("Largest distance, in words", 1, 500, 3, key="farthest", bind="query-params")
    within = right.toggle("In one sentence", True, key="within", bind="query-params")
    return OwnRule(first, second, WHERE[where], int(farthest), bool(within))  # type: ignore[arg-type]


def _marks(view: TextView) -> Sought:
    """The pairs that were marked in the shown window, from the field that holds them; forgotten with the text."""
    if st.session_state.get(MARKS_OF, view.identity) != view.identity:
        st.session_state[MARKS] = ""
    st.session_state[MARKS_OF] = view.identity
    written = st.text_input(
        "Marked pairs, by the numbers of their words",
        key=MARKS,
        bind="query-params",
        max_chars=1000,
        placeholder="none yet: click two words in the text below",
        help="A click on two words writes their numbers here. The address keeps them; take one out to take it back.",
    )
    marks = parse(written)
    with st.container(horizontal=True):
        st.button("Take back the last", icon=":material/undo:", disabled=not marks, on_click=_keep, args=(marks[:-1],))
        st.button("Take back all", icon=":material/delete_sweep:", disabled=not marks, on_click=_keep, args=((),))
    return marks


def parse(written: str) -> tuple[tuple[int, int], ...]:
    """ "12-40 3-9" -> ((12, 40), (3, 9)), each pair once; a word with itself is none."""
    found = [(int(a), int(b)) for a, b in PAIR.findall(written)]
    return tuple(dict.fromkeys(pair for pair in found if pair[0] != pair[1]))


def _keep(marks: tuple[tuple[int, int], ...]) -> None:
    st.session_state[MARKS] = " ".join(f"{a}-{b}" for a, b in marks)


def _toggle(a: int, b: int) -> None:
    """Mark a pair, or take it back where it is marked; the first one leaves the rule that was shown.

    Asked of the session and not of the page that drew the text: a second pair may be marked before the page runs again.
    """
    marking = st.session_state.get("pattern") == MARKED
    st.session_state["pattern"] = MARKED
    marks = parse(st.session_state.get(MARKS, "")) if marking else ()
    left = tuple(pair for pair in marks if set(pair) != {a, b})
    _keep(left if len(left) < len(marks) else (*marks, (a, b)))


def find(view: TextView, sought: Sought) -> "Seen | None":
    """The pairs in the text as every head sees them; None, and why, where there are none."""
    choice, shown = view.choice, view.window.passage.index
    marked = isinstance(sought, tuple)
    windows = (shown,) if marked else tuple(passage.index for passage in view.found.reading.passages)
    try:
        seen = cache.pattern(choice.spec, choice.text, choice.language, choice.layout, windows, sought)
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


def show_facts(view: TextView, seen: "Seen", heads: pd.DataFrame) -> None:
    """How many pairs, which head sees them best, and how many heads see them at all."""
    best = _best(heads)
    crossed = seen.crossed(view.choice.settings.measure)
    above = int((heads["p_adjusted"] < ALPHA).sum())
    with facts():
        beside_chance("Pairs", f"{len(seen):,}", "too few to tell" if len(seen) < TOO_FEW else "enough to tell")
        beside_chance(
            f"Best head: {best}",
            f"{heads['score'].max():.0%}",
            "chance: 50%",
            "Mean percentile of the pairs among all pairs of like distance, in the head that sees them best.",
        )
        beside_chance(
            "On pairs that did not choose it",
            "–" if crossed is None else f"{crossed:.0%}",
            "chance: 50%",
            "The best of many heads is good by luck too: every second pair chooses a head for the others, both ways round.",
        )
        beside_chance(
            "Heads above chance",
            "–" if len(seen) < TOO_FEW else f"{above} of {len(heads)}",
            f"by chance: fewer than {ALPHA:.0%} of these",
            "p of pairs drawn anew from the same distances, after Benjamini and Hochberg over all heads.",
        )


def show_map(view: TextView, seen: "Seen", heads: pd.DataFrame) -> None:
    """The map of scores, and a button that takes the best head for head A."""
    sure = len(seen) >= TOO_FEW
    st.header("Which heads see it", anchor=False)
    st.caption(
        "How alike the pairs are among pairs of like distance: 50% is chance. **Click a cell to make it head A everywhere.**"
        + (" Bold: above chance." if sure else " Too few pairs to tell: no verdict.")
    )
    head_chart(score_map(heads, view.head_a, view.head_b, sure), "pattern-map", heads, across=0.6)
    best = str(_best(heads))
    st.button(
        f"Make {best} head A",
        icon=":material/star:",
        on_click=_make_head_a,
        args=(best,),
        disabled=best == str(view.head_a),
    )


def show_attention(view: TextView, heads: pd.DataFrame) -> None:
    """Similarity against attention."""
    st.header("By similarity, by attention", anchor=False)
    st.caption(
        "The same pairs by the weight that one word's attention gives the other, in the direction that sees them better."
    )
    head_chart(similarity_against_attention(heads, view.head_a, view.head_b), "pattern-attention", heads, across=0.5)


def _best(heads: pd.DataFrame) -> Head:
    best = heads.loc[heads["score"].idxmax()]
    return Head.of_row(best["layer"], best["head"])


def _make_head_a(name: str) -> None:
    st.session_state["a"] = name


def show_text(view: TextView, seen: "Seen | None") -> None:
    """The shown window with its pairs, and their values in head A."""
    choice, passage = view.choice, view.window.passage
    text, words, _ = cache.word_outputs(choice.spec, choice.text, choice.language, choice.layout, passage.index)
    here = np.array([], dtype=int) if seen is None else np.flatnonzero(seen.windows == passage.index)
    pairs = [] if seen is None else [(int(a), int(b)) for a, b in seen.pairs[here]]
    notes = [] if seen is None else _notes(view, seen, here)
    st.header(f"The pairs, as {view.head_a} sees them", anchor=False)
    st.caption(" ".join(["**Click a word, then another, to mark a pair of your own.**", view.part_shown]).strip())
    spaces = _spaces(passage.document.text, words.starts, words.ends)
    pair_marker(text.words, spaces, pairs, notes, on_pair=_toggle, key=f"pairs-{view.identity}")


def _notes(view: TextView, seen: "Seen", here: np.ndarray) -> list[str]:
    kind = MAPS.index(view.choice.settings.measure)
    values, ranks = seen.values[kind][view.head_a][here], seen.percentile[kind][view.head_a][here]
    return [f"{value:.3g} (above {rank:.0%})" for value, rank in zip(values, ranks, strict=True)]


def _spaces(text: str, starts: np.ndarray, ends: np.ndarray) -> list[str]:
    """What stands before each word."""
    before = [int(starts[0]), *ends[:-1].tolist()] if len(starts) else []
    return [text[end:start] for end, start in zip(before, starts.tolist(), strict=True)]


def pair_table(view: TextView, seen: "Seen") -> pd.DataFrame:
    """One row a pair, in head A: window, words, their numbers, distance, similarity, percentile, attention both ways."""
    kind, head = MAPS.index(view.choice.settings.measure), view.head_a
    words = {window: _words(view, window).words for window in np.unique(seen.windows).tolist()}
    of = partial(_word_of, words, seen)
    return pd.DataFrame(
        {
            "window": seen.windows + 1, "first_word": of(0), "second_word": of(1),
            "first": seen.pairs[:, 0], "second": seen.pairs[:, 1], "distance": seen.pairs[:, 1] - seen.pairs[:, 0],
            "similarity": seen.values[kind][head], "percentile": seen.percentile[kind][head], "chance_percentile": 0.5,
            "attends": seen.values[MAPS.index("attends")][head], "attended": seen.values[MAPS.index("attended")][head],
            "layer": head.row[0], "head": head.row[1],
        }
    )  # fmt: skip


def head_table(view: TextView, seen: "Seen", heads: pd.DataFrame) -> pd.DataFrame:
    """The heads by falling score, each with the pairs that it makes most alike."""
    words = {window: _words(view, window).words for window in np.unique(seen.windows).tolist()}
    first, second = _word_of(words, seen, 0), _word_of(words, seen, 1)
    ranks = seen.percentile[MAPS.index(view.choice.settings.measure)].reshape(len(heads), -1)
    best = np.argsort(-ranks, axis=1, kind="stable")[:, :EXAMPLES]
    examples = [" · ".join(dict.fromkeys(f"{first[at]} – {second[at]}" for at in row)) for row in best]
    return heads.assign(examples=examples).sort_values("score", ascending=False, kind="stable")


def _words(view: TextView, window: int) -> TextWords:
    choice = view.choice
    return cache.word_outputs(choice.spec, choice.text, choice.language, choice.layout, window)[0]


def _word_of(words: dict[int, tuple[str, ...]], seen: "Seen", end: int) -> list[str]:
    return [
        words[window][word] for window, word in zip(seen.windows.tolist(), seen.pairs[:, end].tolist(), strict=True)
    ]


def show_antecedents(view: TextView, sought: Sought) -> None:
    """Whom each pronoun of the shown window means, where the pattern is that of pronouns and heads are known for the model."""
    from attn_core.patterns.antecedent import answers, known_heads

    if sought != PRONOUNS_RULE:
        return
    choice = view.choice
    text, _, outputs = cache.word_outputs(
        choice.spec, choice.text, choice.language, choice.layout, view.window.passage.index
    )
    asked = [(at, names_before(text, at)) for at, word in enumerate(text.words) if word.casefold() in PRONOUNS]
    asked = [(word, names) for word, names in asked if len(names) > 1]
    st.header("Whom does the pronoun mean?", anchor=False)
    try:
        heads = known_heads(view.found.reading.model)
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    st.caption(
        f"The {len(heads)} heads that GAP's development set chose, of which none was trained for it: 79% right where the nearest "
        "name is right in 51% (README). These heads did not choose themselves on this text, but the pattern above is another "
        "one: the nearest name."
    )
    rows = []
    for (word, names), scores in zip(asked, answers(outputs, heads, asked), strict=True):
        order = np.argsort(-scores)
        rows.append(
            {
                "pronoun": text.words[word], "likely_name": text.words[names[order[0]]], "nearest_name": text.words[names[-1]],
                "lead": scores[order[0]] - scores[order[1]], "word": word,
                "among": ", ".join(text.words[name] for name in names),
            }
        )  # fmt: skip
    show.table(pd.DataFrame(rows), "antecedents", _told(view, sought) | {"heads_of_answer": str(heads)})


def in_words(sought: Sought) -> str:
    """The pattern as it stands in exported tables."""
    if isinstance(sought, OwnRule):
        where = f"{sought.direction}, at most {sought.farthest} words" + (", in one sentence" if sought.within else "")
        return f"{sought.first} and {sought.second}, {where}"
    return sought if isinstance(sought, str) else " ".join(f"{a}-{b}" for a, b in sought)


def _told(view: TextView, sought: Sought) -> dict[str, object]:
    return view.provenance(pattern=in_words(sought), unit_of_pairs="words")


def show_heads(view: TextView, seen: "Seen", heads: pd.DataFrame, sought: Sought) -> None:
    """Every head, the best first, with the pairs that it makes most alike."""
    number = st.column_config.NumberColumn
    st.header("Every head", anchor=False)
    show.table(
        head_table(view, seen, heads),
        "pattern-heads",
        _told(view, sought),
        columns={
            "score": number("score", format="percent"),
            "chance_score": number("chance", format="percent"),
            "p": number("p", format="%.2g"),
            "p_adjusted": number("p, all heads", format="%.2g", help="After Benjamini and Hochberg"),
            "attends": number(
                "attention to", format="percent", help="Score of the first word's attention to the second"
            ),
            "attended": number(
                "attention from", format="percent", help="Score of the second word's attention to the first"
            ),
        },
        column_order=[
            "layer",
            "head",
            "score",
            "chance_score",
            "p_adjusted",
            "p",
            "pairs",
            "attends",
            "attended",
            "examples",
        ],
        height=420,
    )


def show_pairs(view: TextView, seen: "Seen", sought: Sought) -> None:
    """Every pair in head A."""
    number = st.column_config.NumberColumn
    st.header(f"Every pair in {view.head_a}", anchor=False)
    show.table(
        pair_table(view, seen),
        "pattern-pairs",
        _told(view, sought),
        columns={
            "similarity": number("similarity", format="%.3g"),
            "percentile": number("percentile", format="percent"),
            "attends": number("attention to", format="%.3f"),
            "attended": number("attention from", format="%.3f"),
        },
        column_order=[
            "first_word",
            "second_word",
            "distance",
            "similarity",
            "percentile",
            "attends",
            "attended",
            "window",
        ],
        height=320,
    )
