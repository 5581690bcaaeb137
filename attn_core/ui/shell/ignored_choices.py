"""Choices of a link that do not exist here: Streamlit takes the default silently, and the page says so."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.ui.widgets.escape import plain

ASKED = "choices_of_the_link"
READABLE = 80  # characters of a value that a sentence repeats


def remember() -> None:
    """Keep what the link of this session asks for, before any widget is made."""
    if ASKED not in st.session_state:
        st.session_state[ASKED] = {name: st.query_params.get_all(name) for name in st.query_params}


def warn(place: DeltaGenerator) -> list[str]:
    """The warnings, shown in a place, of each choice of the link that no widget shows. Call it below the last widget."""
    asked, messages = st.session_state[ASKED], []
    for name in [name for name in asked if name in st.session_state]:
        wanted, shown = asked.pop(name), st.session_state[name]
        if isinstance(shown, str | bool | int | float | list) and not _same(wanted, shown):
            what = f"asks for {plain(name)} = {plain(_short(wanted))}, which does not exist here"
            messages.append(f"The address {what}: showing {plain(_short(shown))}.")
            place.warning(messages[-1], icon=":material/link_off:")
    return messages


def _short(value: object) -> str:
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
