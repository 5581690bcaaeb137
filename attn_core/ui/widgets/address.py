"""The address of the page, which holds every choice that is not the default, on whatever page it was made.

Streamlit binds a widget to the address of its own page. When the page changes, it takes the names of the page before out
of the address, and forgets for one run what a link had set: the new page would show defaults. So a change of page is
turned here into what Streamlit does well, a link to the new page with every choice in it. What belongs to widgets of
other pages waits in the address, unread, until their page is opened.
"""

from collections.abc import Sequence
from urllib.parse import parse_qs

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state.query_params import EMBED_QUERY_PARAMS_KEYS

from attn_core.ui.widgets.escape import plain

Values = dict[str, list[str]]  # a name can stand in an address several times
PAGE, KEPT, ASKED = "page_shown", "address_kept", "address_asked"
LONGEST = 1000  # characters; nothing that can be chosen is longer
READABLE = 80  # characters of a value that a sentence repeats
Choosable = str | bool | int | float | list


def warn_of_ignored(place: DeltaGenerator) -> list[str]:
    """The warnings, shown in a place, of each value of an address just opened that no widget shows.

    Streamlit takes the default silently. Call it below the last widget.
    """
    messages = []
    for name, values in st.session_state.pop(ASKED, {}).items():
        shown = st.session_state.get(name)
        if isinstance(shown, Choosable) and not _same(values, shown):
            messages.append(f"The address {_wish(name, values)}: showing {plain(_shown(shown))}.")
            place.warning(messages[-1], icon=":material/link_off:")
    return messages


def follow(page: str) -> None:
    """Complete the address, before any widget is made. A page whose address has to change is run anew.

    What a page that was just opened is asked for is remembered until `warn_of_ignored`.
    """
    state, here, left = st.session_state, _here(), st.session_state.get(KEPT, {})
    if state.get(PAGE) == page:
        state[KEPT] = here
        return
    went_back = _context().is_history_navigation
    asked = _sent() if went_back else _unchanged(left) | _sent()
    complete = {name: values for name, values in asked.items() if _can_be_read(values)}
    state[PAGE], state[KEPT], state[ASKED] = page, complete, asked
    if complete != here:
        if went_back:  # a run that Streamlit is asked for lets what widgets held win over the address
            for name in (left.keys() | complete.keys()) & state.keys():
                del state[name]
        _replace(complete)
        st.query_params.update({})  # tells the browser
        st.rerun()


def chosen(name: str) -> str:
    """The choice of a widget that is drawn further down, or on another page; empty where there is none."""
    value = st.session_state.get(name)
    return st.query_params.get(name, "") if value is None else value


def chosen_of(name: str, options: Sequence[str]) -> str:
    """The same, one of these whatever the address asks for; the first is the default."""
    return asked if (asked := chosen(name)) in options else options[0]


def _context() -> ScriptRunContext:
    context = get_script_run_ctx()
    assert context is not None, "pages are drawn by Streamlit"
    return context


def _replace(values: Values) -> None:
    """Another address in place of this one, whatever widgets of the page before are bound to, which Streamlit would refuse to
    change: a part of that page that runs by itself may have bound them anew while this one was opened.
    """
    with _context().session_state.query_params() as here:
        here.clear_with_no_forward_msg(preserve_embed=True)
        for name, choices in values.items():
            here.set_with_no_forward_msg(name, choices)


def _here() -> Values:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _sent() -> Values:
    """The address as the browser has it. An entry of its history is complete (`history.js`): what is not in it is the default."""
    return {
        name: values
        for name, values in parse_qs(_context().query_string, keep_blank_values=True).items()
        if name.lower() not in EMBED_QUERY_PARAMS_KEYS  # Streamlit's own, which it keeps in the address by itself
    }


def _unchanged(left: Values) -> Values:
    """What stood in the address of the page that was left, but for what its widgets have changed."""
    return {name: values for name, values in left.items() if _same(values, st.session_state.get(name, values))}


def _can_be_read(values: list[str]) -> bool:
    return any(values) and all(len(value) <= LONGEST for value in values)


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
