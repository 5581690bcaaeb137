"""The address of the page, which holds every choice that is not the default, on whatever page it was made.

Streamlit binds a widget to the address of its own page. When the page changes, it takes the names of the page before out
of the address, and forgets for one run what a link had set: the new page would show defaults. So a change of page is
turned here into what Streamlit does well, a link to the new page with every choice in it. What belongs to widgets of
other pages waits in the address, unread, until their page is opened.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from urllib.parse import parse_qs

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state.query_params import EMBED_QUERY_PARAMS_KEYS

from attn_core.ui.widgets.escape import plain

Values = dict[str, list[str]]  # a name can stand in an address several times
PAGE, KEPT, ASKED, RESTORED = "page_shown", "address_kept", "address_asked", "address_restored"
LONGEST = 1000  # characters; nothing that can be chosen is longer
READABLE = 80  # characters of a value that a sentence repeats
NUMBERS = frozenset(  # the choices that Streamlit reads as numbers; it ends the page for one that is infinite or huge
    {
        "q",
        "role",
        "farthest",
        "study_text",
        "study_part",
        "claim_text",
        "segments_a",
        "segments_b",
        "at_a",
        "at_b",
        "bar",
        "best_of_pattern",
        "best_removed",
        "first_windows",
        "twins",
    }
)
HUGE = 2.0**63
Choosable = str | bool | int | float | list


def warn_of_ignored(asked: Values, place: DeltaGenerator) -> None:
    """Name each value of a page's address that no widget shows: Streamlit takes the default silently. Call it below the last.

    asked: as `follow` gives it.
    """
    for name, values in asked.items():
        shown = st.session_state.get(name)
        if isinstance(shown, Choosable) and not _same(values, shown):
            message = f"The address {_wish(name, values)}: showing {plain(_shown(shown))}."
            place.warning(message, icon=":material/link_off:")


def follow(page: str, present: Callable[[Values], Values]) -> Values:
    """Complete the address, before any widget is made, and give what it asks for where the page was just opened, by name.

    present: gives what has another name now that name. A page whose address has to change is run anew.
    """
    state, here, context = st.session_state, _here(), _context()
    if state.get(PAGE) == page:
        state[KEPT] = here
        # A run that Streamlit is asked for has forgotten that Back was pressed: what widgets held would win over the address.
        context.is_history_navigation |= state.pop(RESTORED, False)
        return state.pop(ASKED, {})
    asked = present(_asked(state.get(KEPT, {})))
    complete = {name: values for name, values in asked.items() if _can_be_read(values) and _in_reach(name, values)}
    state[PAGE], state[KEPT] = page, complete
    if complete != here:
        state[ASKED], state[RESTORED] = asked, context.is_history_navigation
        st.query_params.from_dict(complete)
        st.rerun()
    return asked


def lead_to(page: str, **choices: str) -> None:
    """Open another page with choices that widgets of this page may hold otherwise, which Streamlit's own way refuses."""
    state = st.session_state
    state[KEPT] = _here() | {name: [choice] for name, choice in choices.items()}
    for name in choices.keys() & state.keys():
        del state[name]
    st.switch_page(page)


def keep_within(name: str, low: float, high: float) -> None:
    """Move a slider's choice into its range, which is another one with another text; Streamlit would end the page."""
    if name in st.session_state and not low <= (chosen := st.session_state[name]) <= high:
        st.session_state[name] = min(max(chosen, low), high)


def keep_among(name: str, options: Sequence[str], otherwise: str) -> None:
    """Take the default where another text or model has not what was chosen; Streamlit would leave it in the address."""
    if st.session_state.get(name, otherwise) not in options:
        st.session_state[name] = otherwise


def chosen(name: str) -> str:
    """The choice of a widget that is drawn further down, or on another page; empty where there is none."""
    value = st.session_state.get(name)
    return st.query_params.get(name, "") if value is None else value


def chosen_among(name: str, options: Sequence[str]) -> list[str]:
    """The choices of a widget that takes several and is drawn further down: those that exist here, and no others stay."""
    chosen = st.session_state.get(name, st.query_params.get_all(name))
    kept = [option for option in chosen if option in options]
    if name in st.session_state and kept != chosen:
        st.session_state[name] = kept
    return kept


def _context() -> ScriptRunContext:
    context = get_script_run_ctx()
    assert context is not None, "pages are drawn by Streamlit"
    return context


def _here() -> Values:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _asked(kept: Values) -> Values:
    """What stood in the address of the page that was left, and before it what no widget of that page has changed.

    An entry of the browser's history is complete (`history.js`): what is not in it was the default.
    """
    context = _context()
    sent = {
        name: values
        for name, values in parse_qs(context.query_string, keep_blank_values=True).items()
        if name.lower() not in EMBED_QUERY_PARAMS_KEYS  # Streamlit's own, which it keeps in the address by itself
    }
    if context.is_history_navigation:
        return sent
    unchanged = {name: values for name, values in kept.items() if _same(values, st.session_state.get(name, values))}
    return unchanged | sent


def _can_be_read(values: list[str]) -> bool:
    return any(values) and all(len(value) <= LONGEST for value in values)


def _in_reach(name: str, values: list[str]) -> bool:
    """Whether numbers are of a size that a widget can take; what is no number at all it refuses itself."""
    return name not in NUMBERS or not any(abs(number) >= HUGE or math.isnan(number) for number in _numbers(values))


def _numbers(values: list[str]) -> Iterator[float]:
    for value in values:
        with suppress(ValueError):
            yield float(value)


def _wish(name: str, values: list[str]) -> str:
    if not any(values):
        return f"gives no value for {plain(name)}"
    if not _can_be_read(values):
        return f"gives too long a value for {plain(name)}"
    return f"asks for {plain(name)} = {plain(_shown(values))}, which does not exist here"


def _shown(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return (text if len(text) <= READABLE else text[:READABLE] + "...") or "none"


def _same(asked: list[str], shown: object) -> bool:
    """True where a widget shows what the address asks for; of several values one that takes one shows the last."""
    if isinstance(shown, list):
        return asked == list(map(str, shown))
    last = asked[-1].lower()
    try:
        return last == str(shown).lower() or float(last) == float(shown)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
