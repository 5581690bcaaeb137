"""How many heads can go, the least important or those of a role first, beside random orders."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.interventions import pruning
from attn_core.head import Head, every_head
from attn_core.interventions.orders import LEAST, at_random, by_role, by_value, counts_up_to, heads_that_can_go
from attn_core.interventions.tables import RANDOM, curve_table
from attn_core.measures.roles import FEW
from attn_core.models.removal import Replace
from attn_core.texts.documents import samples
from attn_core.ui import readings, removals
from attn_core.ui.choice import TextKey
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import chosen, number_input, one_of
from attn_core.ui.widgets.escape import plain

BAR = 1.0  # percent


@dataclass(frozen=True)
class ChosenOn:
    """The window that an order is chosen on, and its name in words."""

    key: TextKey
    in_words: str


class Asked(NamedTuple):
    """What decides the curve; by it the work is known. first: the role that goes first; None: the least important heads."""

    key: TextKey
    on: ChosenOn
    how: Replace
    shape: tuple[int, int]
    roles: tuple[str, ...]
    first: str | None

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of heads that are taken away."""
        return tuple(counts_up_to(len(self.roles)))

    @property
    def importance(self) -> np.ndarray:
        """Estimated where that can be, else measured one by one, on the text that orders are chosen on."""
        if self.how != "even":
            return removals.estimate(self.on.key, self.how)
        alone = removals.effects(self.on.key, [(head,) for head in every_head(*self.shape)], self.how)
        return alone.reshape(self.shape)

    @property
    def order(self) -> str:
        """The order in words."""
        return LEAST if self.first is None else f"{self.first} first"

    @property
    def heads(self) -> list[Head]:
        """The heads in that order."""
        return by_value(self.importance) if self.first is None else by_role(self.roles, self.first, self.importance)


def show_pruning(view: View, removed: Removed) -> None:
    """The curve of an order as far as it is known, or the button that begins it."""
    kinds = [role for role in dict.fromkeys(view.results.statistics["role"]) if role != FEW.name]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        bar = number_input(
            "Effect that is allowed, %", 0.1, 100.0, BAR, 0.5, key="bar", width=170,
            help="How far the sentence embedding may move (1 − cosine): the heads that can go below it are counted.",
        )  # fmt: skip
        one_of("Order", [LEAST, *(f"{role} first" for role in kinds)], "order", width=220)
    asked = _asked(view, removed)
    work = in_thread.known("curve", asked)
    if work is None or work.cancelled:
        st.caption("By this order, and 20 random orders for its chance level, in the background.")
        st.button(
            "Take heads away one after the other",
            icon=":material/stacked_line_chart:",
            key="begin-curve",
            on_click=partial(_begin, asked),
        )
        return
    in_thread.watched(work, partial(_draw, bar / 100, asked))


def show_table(view: View, removed: Removed) -> None:
    """The curve, where it is known."""
    asked = _asked(view, removed)
    work = in_thread.known("curve", asked)
    if work and work.parts:
        provenance = view.provenance(
            replaced_by=removed.replaced_by, window=removed.key.number, orders_chosen_on=asked.on.in_words
        )
        columns = show.shares("effect", "low", "high")
        show.table(curves_table(asked, work.parts), "pruning-curve", columns=columns, height=250, provenance=provenance)


def _asked(view: View, removed: Removed) -> Asked:
    roles, order = tuple(view.results.statistics["role"]), chosen("order")
    role = next((role for role in roles if order == f"{role} first"), None)
    return Asked(removed.key, chosen_on(removed.key), removed.how, view.results.shape, roles, role)


def _begin(asked: Asked) -> None:
    def own() -> np.ndarray:
        return _effects(asked, asked.heads)

    in_thread.begin("curve", asked, lambda: [own, *(partial(_effects, asked, one) for one in at_random(asked.shape))])


def _effects(asked: Asked, order: Sequence[Head]) -> np.ndarray:
    """Effect of removing the first heads of an order, (count,)."""
    return removals.effects(asked.key, [tuple(order[:count]) for count in asked.counts], asked.how)


def _draw(bar: float, asked: Asked, work: in_thread.Work) -> None:
    if work.parts:
        figure = pruning(curves_table(asked, work.parts), RANDOM, bar)
        title = "Effect on the sentence embedding as heads go in one order, beside random orders"
        show.chart(figure, "pruning-curve", title)
        st.caption(
            f"{sentence(asked, work.parts, bar)} Orders were chosen on {asked.on.in_words}, and are shown on this window; roles "
            "are this text's."
        )
    in_thread.progress(work, "Orders of removal", "curve")


def chosen_on(key: TextKey) -> ChosenOn:
    """The longest other window of this text, else a sample text, in its language where there is one."""
    assert key.window is not None, "one window is shown"
    others = [passage for passage in readings.passages(key) if passage.index != key.window]
    if others:
        longest = max(others, key=len).index
        return ChosenOn(key.at(longest), f"window {longest + 1} of this text")
    texts = sorted((one for one in samples() if one.text != key.text), key=lambda one: one.language != key.language)
    sample = replace(key, text=texts[0].text, language=texts[0].language, window=0)
    return ChosenOn(sample, f"another text, “{plain(texts[0].title)}”")


def curves_table(asked: Asked, parts: Sequence[np.ndarray]) -> pd.DataFrame:
    """`tables.curve_table` of one window. parts: effects (count,) of the order, then of random ones as far as they are known."""
    own, *drawn = parts
    random = np.stack(drawn) if drawn else np.full((1, len(own)), np.nan)
    return curve_table({asked.order: own[None]}, asked.counts, random[:, None])


def sentence(asked: Asked, parts: Sequence[np.ndarray], bar: float) -> str:
    """How many heads can go up to a bar by the order, beside random orders."""
    can, *by_chance = (heads_that_can_go(asked.counts, one, bar) for one in parts)
    said = f"At an effect of at most {bar:.1%} on this one window, of {len(asked.roles)} heads can go: **{can}** {asked.order}"
    if by_chance:
        said += (
            f"; by {len(by_chance)} random orders {min(by_chance)} to {max(by_chance)}, half of them {np.median(by_chance):.0f} "
            "or fewer"
        )
    return (
        f"{said}. Counted at the numbers of heads that are marked; grey: from the lowest to the highest of the random "
        "orders, dashed their mean."
    )
