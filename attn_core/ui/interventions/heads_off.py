"""Which heads are off, and what stands in place of what they put out: one name in the address."""

from collections.abc import Iterable
from dataclasses import dataclass

import streamlit as st

from attn_core.charts.marks import SELECTION
from attn_core.head import Head, every_head
from attn_core.models.removal import REPLACED_BY, Removal, Replace
from attn_core.ui import readings
from attn_core.ui.choice import TextKey
from attn_core.ui.shell.view import View
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.head_names import MEANING, NAMES, WAYS, in_names, parsed, parsed_or_warned


@dataclass(frozen=True)
class Removed:
    """The heads that are off, and how. key: the window on the screen. shape: (layers, heads a layer) of the model."""

    heads: tuple[Head, ...]
    how: Replace
    key: TextKey
    shape: tuple[int, int]

    @property
    def is_off(self) -> list[bool]:
        """Of every head, as a column of a table."""
        return [head in self.heads for head in every_head(*self.shape)]

    @property
    def removal(self) -> Removal:
        """The ablation of the model."""
        return Removal(self.heads, self.how)

    @property
    def provenance(self) -> dict[str, object]:
        """What a table of the model without these heads comes from."""
        return {"ablation": self.removal.facts}

    @property
    def replaced_by(self) -> str:
        """What a head that is off puts out, in words."""
        return REPLACED_BY[self.how]

    @property
    def is_everything(self) -> bool:
        """Whether no attention is left."""
        return all(self.is_off)


def choose(view: View) -> Removed:
    """The controls, on one line above the map."""
    shape = view.results.shape
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(
            "Heads off", key="off", bind="query-params", placeholder="none: click the map, or type L1H2 L3", help=NAMES,
            width=260, max_chars=1000,
        )  # fmt: skip
        way = one_of("Replaced by", WAYS, "replace", width=130, help=MEANING)
        st.button(
            "All back on", icon=":material/restart_alt:", key="off-none", disabled=not typed,
            on_click=st.session_state.update, args=({"off": ""},),
        )  # fmt: skip
    heads = parsed_or_warned(typed, *shape)
    if way == "even" and not readings.model(view.choice.spec).uses_interface:
        st.warning(
            "The attention of this model cannot be changed, since it keeps it to itself: its heads are replaced by their mean.",
            icon=":material/info:",
        )
        way = "mean"
    return Removed(heads, way, view.choice.key, shape)


def click_off(view: View, chart: str) -> None:
    """A head that is clicked on the map goes off, or comes back."""
    if cells := st.session_state[f"chart-{chart}"]["selection"][SELECTION]:
        turn(view.results.shape, [Head.of_row(cells[0]["layer"], cells[0]["head"])])


def turn(shape: tuple[int, int], heads: Iterable[Head]) -> None:
    """Take heads off; those that are all off already come back."""
    off, chosen = set(parsed(st.session_state.get("off", ""), *shape)[0]), set(heads)
    st.session_state["off"] = in_names(off - chosen if chosen <= off else off | chosen, shape[1])
