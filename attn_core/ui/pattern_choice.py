"""The choice of a pattern on the Patterns page: a rule, a rule of one's own, or pairs that were marked."""

import re
import time

import streamlit as st

from attn_core.patterns.rules import RULES, MarkedPairs, OwnRule, Pattern
from attn_core.ui import derived
from attn_core.ui.readings import TextKey
from attn_core.ui.shell.page import View
from attn_core.ui.widgets.controls import number_input, one_of
from attn_core.ui.widgets.escape import plain

MARKED, OWN = "Pairs that I mark", "A rule of my own"
MARKS, MARKS_OF, KEPT = "marks", "marks_of", "marks_kept"
IN_A_ROW = 3.0  # seconds: a pair that is marked so soon after another may come before the page has run for that one
PAIR = re.compile(r"(\d+)-(\d+)")
MOST = 200  # characters of an expression
FIRST, SECOND, FARTHEST = "the|a", r"\w+s", 3  # of a rule of one's own that nobody has changed
WHERE = {"after the first": "forward", "before the first": "backward", "on either side": "either"}


def choose(view: View) -> Pattern:
    """The pattern that the user wants."""
    name = st.selectbox("Pattern", [*RULES, OWN, MARKED], key="pattern", bind="query-params")
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
    """The pairs that were marked in the shown window, from the field that holds them; forgotten with the text."""
    if st.session_state.get(MARKS_OF, view.identity) != view.identity:
        st.session_state[MARKS] = ""
    elif st.query_params.get(MARKS, "") != (here := st.session_state.get(MARKS, "")):
        st.session_state[MARKS] = here  # once more: the browser missed it where one run broke off another
    st.session_state[MARKS_OF] = view.identity
    written = st.text_input(
        "Marked pairs, by word number",
        key=MARKS,
        bind="query-params",
        max_chars=1000,
        placeholder="none yet: click two words in the text",
        help="A click on two words writes their numbers here; the same two again take them out.",
    )
    marks = parse(written)
    words = len(derived.word_outputs(view.choice.key.at(view.window.passage.index))[0]) if marks else 0
    if beyond := tuple(pair for pair in marks if max(pair) >= words):
        st.warning(f"Left out, since this window has {words:,} words: {written_as(beyond)}.", icon=":material/info:")
    return tuple(pair for pair in marks if pair not in beyond)


def key_of(view: View, sought: Pattern) -> TextKey:
    """What a pattern is looked for in: marked pairs stand in the window on the screen alone."""
    return view.choice.key.at(view.window.passage.index) if isinstance(sought, tuple) else view.choice.key


def window_numbers(view: View, sought: Pattern) -> str:
    """The windows that a pattern was scored in."""
    return ", ".join(str(window + 1) for window in derived.windows_scored(key_of(view, sought)))


def parse(written: str) -> MarkedPairs:
    """ "12-40 3-9" -> ((12, 40), (3, 9)), each pair once; a word with itself is none."""
    pairs = [(int(a), int(b)) for a, b in PAIR.findall(written)]
    return tuple(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))


def written_as(marks: MarkedPairs) -> str:
    """((12, 40), (3, 9)) -> "12-40 3-9"."""
    return " ".join(f"{a}-{b}" for a, b in marks)


def toggle(a: int, b: int) -> None:
    """Mark a pair, or take it back where it is marked; the first one leaves the rule that was shown.

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
    """What decides the numbers of a pattern's tables."""
    pattern = written_as(sought) if isinstance(sought, tuple) else str(sought)
    return {"pattern": pattern, "unit_of_pairs": "words", "windows": window_numbers(view, sought)}
