"""Widgets whose value stands in the address and always exists; the page says which values of a link do not exist."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from attn_core.head import Head, every_head
from attn_core.ui.widgets.escape import plain

T = TypeVar("T", bound=str)
ASKED = "choices_of_the_link"
READABLE = 80  # characters of a value that a sentence repeats


@cache
def explanation(key: str) -> str | None:
    """What explanations.md says of the widget with a key, for its question mark; None if it says nothing."""
    parts = Path(__file__).with_name("explanations.md").read_text("utf-8").removeprefix("# ").split("\n# ")
    return dict(part.split("\n", 1) for part in parts).get(key)


def one_of(label: str, options: Sequence[T], key: str, usual: T | None = None, **look: Any) -> T:
    """The chosen one of several options; `usual`, by default the first, where the chosen one is none of them."""
    at, look = 0 if usual is None else options.index(usual), {"help": explanation(key), **look}
    return st.selectbox(label, options, index=at, key=key, bind="query-params", **look)


def choose_head(
    label: str, key: str, shape: tuple[int, int], usual: Callable[[], Head], removed: Collection[Head] = (), **look: Any
) -> Head:
    """The chosen head. usual: makes the one that is chosen at first and then stays, whatever is read.

    shape: (layers, heads per layer) of the model. removed: heads that are not offered.
    """
    names = {str(head): head for head in every_head(*shape) if head not in removed}
    if chosen(key) not in names:
        st.session_state[key] = str(usual())
        with suppress(StreamlitAPIException):  # it writes the value of a widget that was drawn before, no other
            st.query_params[key] = st.session_state[key]  # so that a link names the head
    return names[one_of(label, list(names), key, **look)]


def segmented(label: str, options: Sequence[T], key: str, usual: T | None = None, **look: Any) -> T:
    """The chosen one of several options, drawn as buttons in a row."""
    usual, look = options[0] if usual is None else usual, {"help": explanation(key), **look}
    control = st.segmented_control(label, options, default=usual, required=True, key=key, bind="query-params", **look)
    return control or usual  # a link without a value, "?measure=", chooses none


def chosen(name: str) -> str:
    """The value of a widget that is drawn later or on another page; empty if it has none."""
    value = st.session_state.get(name)
    return st.query_params.get(name, "") if value is None else value


def chosen_of(name: str, options: Sequence[str]) -> str:
    """The value of such a widget if it is among the options, else the first option."""
    return asked if (asked := chosen(name)) in options else options[0]


def number_input(label: str, *numbers: Any, key: str, **look: Any) -> Any:
    """The chosen number. An infinite one is taken out of the address, since Streamlit would end the page with an error.

    numbers: the least, the most, the usual one and, where it is not 1, the step.
    """
    if not all(map(_is_finite, st.query_params.get_all(key))):
        del st.query_params[key]
        st.rerun()
    return st.number_input(label, *numbers, key=key, bind="query-params", **look)


def _is_finite(value: str) -> bool:
    """False for an infinite number and NaN; True for a finite number and for text, which Streamlit ignores."""
    try:
        return isfinite(float(value))
    except ValueError:
        return True


def remember() -> None:
    """Store the values in the link of this session. Call it before the first widget."""
    if ASKED not in st.session_state:
        st.session_state[ASKED] = {name: st.query_params.get_all(name) for name in st.query_params}


def warn(place: DeltaGenerator) -> list[str]:
    """Draw a warning for each value of the link that no widget has, and return them. Call it after the last widget."""
    asked, messages = st.session_state[ASKED], []
    for name in [name for name in asked if name in st.session_state]:
        wanted, shown = asked.pop(name), st.session_state[name]
        if isinstance(shown, str | bool | int | float | list) and not _same(wanted, shown):
            asked_for = f"{plain(name)} = {plain(_short(wanted))}"
            messages.append(f"The link's {asked_for} is not available; showing {plain(_short(shown))}.")
            place.warning(messages[-1], icon=":material/link_off:")
    return messages


def _short(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return (text if len(text) <= READABLE else text[:READABLE] + "...") or "none"


def _same(asked: list[str], shown: object) -> bool:
    """Whether a widget has the values of the address; a widget of one value takes the last of several."""
    if isinstance(shown, list):
        return asked == list(map(str, shown))
    last = asked[-1].lower()
    try:
        return last == str(shown).lower() or float(last) == float(shown)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
