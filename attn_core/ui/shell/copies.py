"""Both copies of the model on the text of a page: read once in a background thread, for pages that show them.

Only tables of a copy stay in memory, neither its weights nor its head outputs. A click ends the wait, not the reading.
"""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from time import sleep

import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import analyze
from attn_core.errors import InputError
from attn_core.models.controls import copy_of
from attn_core.models.files import COPIES
from attn_core.ui import readings
from attn_core.ui.readings import Choice
from attn_core.ui.widgets.escape import plain

LOOK = 0.1  # seconds between two looks at whether the copies are read, or something was clicked
BEGUN = "copies_begun"
_THREAD = ThreadPoolExecutor(1, thread_name_prefix="copies of a model")


@dataclass(frozen=True, eq=False)
class Tables:
    """The tables of each copy by name, or the reason why there are none."""

    heads: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    layers: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    problem: str = ""


class Copies:
    """The copies of the model of a page. They are read after the page is drawn, if it has asked for their tables.

    The page of a copy has none.
    """

    def __init__(self, choice: Choice) -> None:
        self._choice = None if choice.spec.copy is not None else replace(choice, title="")
        self._asked = False

    @property
    def heads(self) -> Mapping[str, pd.DataFrame]:
        """The heads table of each copy, by its name; empty until they are read."""
        return self._tables.heads

    @property
    def layers(self) -> Mapping[str, pd.DataFrame]:
        """The layers table of each copy, by its name; empty until they are read."""
        return self._tables.layers

    @property
    def _tables(self) -> Tables:
        self._asked = self._choice is not None
        return (self._choice and _known(self._choice)) or Tables()

    def complete(self) -> bool:
        """Read the copies that the page has asked for. Returns whether the page must be drawn again to show them."""
        if not self._asked or self._choice is None:
            return False
        if tables := _known(self._choice):
            if tables.problem:
                st.caption(f":material/info: The copies of the model cannot be shown: {plain(tables.problem)}")
            return False
        if readings.takes_long(self._choice.key) and _begun(self._choice) is None:
            st.button(
                "Read two copies of the model", key="read-copies", on_click=_begin, args=(self._choice,),
                help="An untrained copy and one with shuffled weights read the same text, to be shown in grey. "
                "It takes about twice as long as the text itself.",
            )  # fmt: skip
            return False
        with st.spinner("Reading two copies of the model", show_time=True):
            _wait(self._choice)
        return True


@st.cache_resource(max_entries=16, show_spinner=False)
def _reading(choice: Choice) -> list[Future[Tables]]:  # noqa: ARG001
    """A list that holds the future of the copies of a choice, once they are being read."""
    return []


def _begun(choice: Choice) -> Future[Tables] | None:
    """The future of the copies; None before they are read. A session keeps its own, which the cache may drop."""
    mine: tuple[Choice, Future[Tables]] | None = st.session_state.get(BEGUN)
    known = [mine[1]] if mine and mine[0] == choice else _reading(choice)
    return next((one for one in known if not one.cancelled()), None)


def _known(choice: Choice) -> Tables | None:
    """The tables of the copies; None until they are read."""
    one = _begun(choice)
    return one.result() if one and one.done() and not one.cancelled() else None


def _begin(choice: Choice) -> None:
    """Start to read the copies, unless it is started; what this session waited for before is cancelled if possible."""
    reading, before = _begun(choice), st.session_state.get(BEGUN)  # before: of a run that a click ended
    if reading is None:
        reading = _THREAD.submit(_read, choice)
        _reading(choice)[:] = [reading]
    if before and before[1] is not reading:
        before[1].cancel()
    st.session_state[BEGUN] = choice, reading


def _wait(choice: Choice) -> None:
    while _known(choice) is None:
        _begin(choice)
        sleep(LOOK)


def _read(choice: Choice) -> Tables:
    """The tables of both copies, which are loaded one after the other."""
    heads, layers = dict[str, pd.DataFrame](), dict[str, pd.DataFrame]()
    window = None if choice.window is None else choice.key.number
    try:
        for kind, name in COPIES.items():
            analysis = analyze(
                choice.text, copy_of(choice.spec, kind), choice.settings,
                language=choice.language, layout=choice.layout, window=window,
            )  # fmt: skip
            heads[name], layers[name] = analysis.statistics, analysis.layers
            del analysis
    except InputError as error:
        return Tables(problem=str(error))
    return Tables(heads, layers)
