"""Which heads are off, and what stands in place of what they put out: one name in the address, with a way back."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
import streamlit as st

from attn_core.charts.marks import SELECTION
from attn_core.errors import InputError
from attn_core.head import Head, every_head
from attn_core.models.intervention import REPLACEMENTS, Intervention, named_heads
from attn_core.ui.caches import readings
from attn_core.ui.choice import TextKey
from attn_core.ui.shell.frame import TextView
from attn_core.ui.widgets.escape import plain

BEFORE = "off_before"  # in the session: which heads were off, the present ones last
WAYS = [way for way in REPLACEMENTS if way != "temperature"]
MEANING = (
    "What a removed head puts out: its *mean* over the English sample texts; *zero*; what it puts out on another sample text, "
    "token by token (*resample*); or what it would if it attended *even*ly to all that it may see."
)
NAMES = (
    "L3H10 is a head, L3 a layer, H2 the second head of every layer. Where layers share their weights, each name is one pass "
    "through them, and H2 all of them."
)


@dataclass(frozen=True)
class Removed:
    """The heads that are off, how, and in which window. every: how many the model has."""

    heads: tuple[Head, ...]
    how: Intervention
    key: TextKey
    every: int

    @property
    def intervention(self) -> Intervention:
        """All of it, as a part of a model's name."""
        return replace(self.how, heads=self.heads)

    @property
    def shows(self) -> dict[str, str]:
        """What stands in the captions of figures."""
        return {"intervention": str(self.intervention)}

    @property
    def is_everything(self) -> bool:
        """Whether no attention is left."""
        return len(self.heads) == self.every


def choose(view: TextView) -> Removed:
    """The controls, on one line above the map."""
    shape = view.results.shape
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(
            "Heads off", key="off", bind="query-params", placeholder="none: click the map, or type L1H2 L3", help=NAMES,
            width=260, max_chars=1000,
        )  # fmt: skip
        way = st.selectbox("Replaced by", WAYS, key="replace", bind="query-params", width=130, help=MEANING)
        with st.popover("Many at once", icon=":material/select_all:"):
            _many(view)
        _ways_back(typed)
    heads, refused = parsed(typed, *shape)
    for sentence in refused:
        st.warning(plain(sentence), icon=":material/info:")
    how = Intervention((), way)
    if way == "even" and not readings.model(view.choice.spec).uses_interface:
        st.warning(
            "The attention of this model cannot be changed, since it keeps it to itself: its heads are replaced by their mean.",
            icon=":material/info:",
        )
        how = Intervention(())
    key = view.choice.key.at(view.window.passage.index)
    return Removed(heads, how, key, shape[0] * shape[1])


def parsed(typed: str, layers: int, heads: int) -> tuple[tuple[Head, ...], list[str]]:
    """The heads that are named, and a sentence for each name that is none."""
    chosen, refused = set[Head](), []
    for name in typed.replace(",", " ").split():
        try:
            chosen.update(named_heads([name], layers, heads))
        except InputError as error:
            refused.append(str(error))
    return tuple(sorted(chosen)), refused


def in_names(heads: Iterable[Head], across: int) -> str:
    """L1H2 L3: whole layers by their name, of so many heads each; what `parsed` reads."""
    of_layer: dict[int, list[Head]] = {}
    for head in sorted(set(heads)):
        of_layer.setdefault(head.layer, []).append(head)
    return " ".join(
        f"L{layer + 1}" if len(some) == across else " ".join(map(str, some)) for layer, some in of_layer.items()
    )


def click_off(view: TextView, chart: str) -> None:
    """A head that is clicked on the map goes off, or comes back."""
    if cells := st.session_state[f"chart-{chart}"]["selection"][SELECTION]:
        turn(view.results.shape, [Head.of_row(cells[0]["layer"], cells[0]["head"])])


def turn(shape: tuple[int, int], heads: Iterable[Head]) -> None:
    """Take heads off; those that are all off already come back."""
    off, chosen = set(parsed(st.session_state.get("off", ""), *shape)[0]), set(heads)
    st.session_state["off"] = in_names(off - chosen if chosen <= off else off | chosen, shape[1])


def _many(view: TextView) -> None:
    """Buttons that turn all heads of a role, or of a layer."""
    shape, statistics = view.results.shape, view.results.statistics
    st.caption("Off, or back on, all heads of a role")
    with st.container(horizontal=True):
        for role, rows in statistics.groupby("role", sort=False):
            heads = _heads_of(rows)
            label = f"{'all anchors' if role == 'anchor' else role} ({len(heads)})"
            st.button(label, key=f"off-role-{role}", on_click=partial(turn, shape, heads))
    st.caption("or of a layer")
    with st.container(horizontal=True):
        for layer in range(shape[0]):
            heads = [head for head in every_head(*shape) if head.layer == layer]
            st.button(f"L{layer + 1}", key=f"off-layer-{layer}", on_click=partial(turn, shape, heads))


def _heads_of(rows: pd.DataFrame) -> list[Head]:
    return [Head.of_row(*row) for row in zip(rows["layer"], rows["head"], strict=True)]


def _ways_back(typed: str) -> None:
    """One step back, and all the way."""
    before: list[str] = st.session_state.setdefault(BEFORE, [])
    if not before or before[-1] != typed:
        before.append(typed)
    st.button("Undo", icon=":material/undo:", on_click=_undo, disabled=len(before) < 2, key="off-undo")
    st.button("All back on", icon=":material/restart_alt:", on_click=_all_on, disabled=not typed, key="off-none")


def _undo() -> None:
    before = st.session_state[BEFORE]
    before.pop()
    st.session_state["off"] = before[-1]


def _all_on() -> None:
    st.session_state["off"] = ""
