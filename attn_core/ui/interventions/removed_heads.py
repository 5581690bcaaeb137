"""Which heads are removed, and what they put out instead: head A, and those that are named beside it."""

from dataclasses import dataclass

import streamlit as st

from attn_core.charts.interventions import MORE
from attn_core.charts.style import SELECTION
from attn_core.head import Head, every_head
from attn_core.models.removal import Removal, Replace
from attn_core.ui.choice import TextKey
from attn_core.ui.shell.view import View
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.head_names import MEANING, NAMES, WAYS, in_names, parsed, parsed_or_warned


@dataclass(frozen=True)
class Removed:
    """Heads that are removed, and how. key: the window on the screen. shape: (layers, heads a layer) of the model."""

    heads: tuple[Head, ...]
    how: Replace
    key: TextKey
    shape: tuple[int, int]

    @property
    def is_off(self) -> list[bool]:
        """Of every head whether it is removed, as a column of a table."""
        return [head in self.heads for head in every_head(*self.shape)]

    @property
    def removal(self) -> Removal:
        """The ablation of the model."""
        return Removal(self.heads, self.how)

    @property
    def choices(self) -> dict[str, object]:
        """What a table of the model without these heads comes from."""
        return {"ablation": self.removal.facts}


def choose(view: View) -> Removed:
    """The heads that are removed: head A, and those that the page's field names."""
    shape = view.results.shape
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(
            "Also removed", key="off", bind="query-params", placeholder="L1H2 L3", help=NAMES, width=200, max_chars=1000
        )
        ways = [way for way in WAYS if way != "even"]  # which has no estimate to colour the map by
        way = one_of("Replaced by", ways, "replace", width=130, help=MEANING)
    heads = {view.head_a, *parsed_or_warned(typed, *shape)}
    return Removed(tuple(sorted(heads)), way, view.choice.key, shape)


def click(chart: str, shape: tuple[int, int]) -> None:
    """A head that is clicked on the map becomes head A; with Shift it goes beside it, or comes back."""
    selection = st.session_state[f"chart-{chart}"]["selection"]
    if more := selection.get(MORE):
        off = {*parsed(st.session_state.get("off", ""), *shape)[0]} ^ {Head.of_row(more[0]["layer"], more[0]["head"])}
        st.session_state["off"] = in_names(off, shape[1])
    elif cells := selection.get(SELECTION):
        st.session_state["a"] = str(Head.of_row(cells[0]["layer"], cells[0]["head"]))
