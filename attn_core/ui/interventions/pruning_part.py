"""How many heads can go, and in which order: by importance, redundancy, role, greedily, beside random orders."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.interventions import pruning
from attn_core.head import Head, every_head
from attn_core.interventions.orders import at_random, by_redundancy, by_role, by_value, counts_up_to, heads_that_can_go
from attn_core.interventions.tables import RANDOM, curve_table
from attn_core.measures.roles import FEW
from attn_core.models.intervention import CHANGES_OF_ATTENTION, Intervention
from attn_core.similarity.strong_pairs import Measure
from attn_core.texts.documents import samples
from attn_core.ui.caches import readings, removals
from attn_core.ui.choice import TextKey
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import number_input, one_of
from attn_core.ui.widgets.escape import plain

GREEDY = 24  # heads that are taken away greedily: each time all that are left are tried
GREEDILY = "greedily"
USUAL = ("least important first", "most redundant first")
BAR = 1.0  # percent


class Curve(NamedTuple):
    """The effects (count,) of removing the first heads of an order, at some counts of heads."""

    order: str
    counts: tuple[int, ...]
    effects: np.ndarray


@dataclass(frozen=True)
class ChosenOn:
    """The window that an order is chosen on, in words, and whether it is another one than the window on the screen."""

    key: TextKey
    in_words: str
    is_other: bool


class Asked(NamedTuple):
    """What decides the curves; of it their works are known. The greedy one's depends on neither measure nor role."""

    key: TextKey
    on: ChosenOn
    how: Intervention
    shape: tuple[int, int]
    measure: Measure
    roles: tuple[str, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of heads that are taken away."""
        return tuple(counts_up_to(len(self.roles)))

    @property
    def importance(self) -> np.ndarray:
        """Estimated where that can be, else measured one by one, on the text that orders are chosen on."""
        if self.how.replace not in CHANGES_OF_ATTENTION:
            return removals.estimate(self.on.key, self.how)
        alone = removals.effects(self.on.key, [(head,) for head in every_head(*self.shape)], self.how)
        return alone.reshape(self.shape)


def show_pruning(view: TextView, removed: Removed) -> None:
    """The curves as far as they are known, or the button that begins them."""
    statistics = view.results.statistics
    kinds = [role for role in dict.fromkeys(statistics["role"]) if role != FEW.name]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        bar = number_input(
            "Effect that is allowed, %", 0.1, 100.0, BAR, 0.5, key="bar", width=170,
            help="How far the sentence embedding may move (1 − cosine): the heads that can go below it are counted.",
        )  # fmt: skip
        role = one_of("A role that goes first", kinds, "role_first", width=200) if kinds else FEW.name
    asked = _asked(view, removed)
    if in_thread.known("curve", asked) is None:
        last = tuple(at_random(asked.shape)[-1])  # of the orders
        if removals.is_kept(asked.key, asked.how, ("curve", last, asked.counts)):
            _begin(asked)  # all were counted on an earlier visit
    work, greedy = _known(asked)
    if work is None or work.cancelled:
        st.caption(
            "By importance, redundancy and role, and 20 random orders for their chance level, in the background."
        )
        st.button(
            "Take heads away one after the other",
            icon=":material/stacked_line_chart:",
            key="begin-curve",
            on_click=partial(_begin, asked),
        )
        return
    at_work = greedy if greedy and greedy.at_work and not work.at_work else work
    in_thread.watched(at_work, partial(_draw, bar / 100, role, asked))


def _offer_greedy(asked: Asked, greedy: in_thread.Work | None) -> None:
    """A button, beside the figure's menu: there a click runs that part of the page only, and the whole has to follow."""
    if greedy is not None and not greedy.cancelled:
        return
    every = len(asked.roles)
    most = min(GREEDY, every)
    passes = sum(every - gone for gone in range(most))
    if st.button(
        "Add the greedy order",
        key="begin-greedy",
        icon=":material/add:",
        type="tertiary",
        help=f"Up to {most} heads, each time the one that is missed least, found by trying all that are left: {passes:,} passes "
        "of the model, in the background.",
    ):
        _begin_greedy(asked, most)
        st.rerun()


def show_table(view: TextView, removed: Removed) -> None:
    """Every curve that is known, those of all roles among them."""
    asked = _asked(view, removed)
    curves, drawn = _curves(*_known(asked))
    if curves:
        provenance = view.provenance(
            replaced_by=removed.how.in_words, window=removed.key.number, orders_chosen_on=asked.on.in_words
        )
        columns = show.shares("effect", "low", "high")
        show.table(curves_table(curves, drawn), "pruning-curve", provenance, columns=columns, height=250)


def _asked(view: TextView, removed: Removed) -> Asked:
    roles = tuple(view.results.statistics["role"])
    shape, measure = view.results.shape, view.choice.settings.measure
    return Asked(removed.key, chosen_on(removed.key), removed.how, shape, measure, roles)


def _known(asked: Asked) -> tuple[in_thread.Work | None, in_thread.Work | None]:
    """The work on the orders that are known at once, and on the greedy one."""
    return in_thread.known("curve", asked), in_thread.known("greedy", asked[:4])


def _curves(work: in_thread.Work | None, greedy: in_thread.Work | None) -> tuple[list[Curve], list[np.ndarray]]:
    """What is known by now: curves of orders, and the effects of random ones."""
    parts: list[Curve] = list(work.parts[1:]) if work else []
    curves = [curve for curve in parts if curve.order != RANDOM]
    if curves and greedy and greedy.parts:
        curves.append(Curve(GREEDILY, tuple(range(1, len(greedy.parts) + 1)), np.array(greedy.parts)))
    return curves, [curve.effects for curve in parts if curve.order == RANDOM]


def _begin(asked: Asked) -> None:
    def curve(name: str, order: Callable[[], Sequence[Head]]) -> Curve:
        return Curve(name, asked.counts, removals.curve(asked.key, tuple(order()), asked.counts, asked.how))

    def role_first(role: str) -> list[Head]:
        return by_role(asked.roles, role, asked.importance)

    orders: list[tuple[str, Callable[[], Sequence[Head]]]] = [
        (USUAL[0], lambda: by_value(asked.importance)),
        (USUAL[1], lambda: by_redundancy(removals.alike(asked.on.key, asked.measure), asked.shape)),
        *((f"{role} first", partial(role_first, role)) for role in dict.fromkeys(asked.roles) if role != FEW.name),
        *((RANDOM, partial(list, order)) for order in at_random(asked.shape)),
    ]
    steps = [partial(curve, *named) for named in orders]
    in_thread.begin("curve", asked, lambda: [partial(removals.yardstick, asked.key), *steps])


def _begin_greedy(asked: Asked, most: int) -> None:
    greedy = removals.greedy(asked.on.key.spec, most)

    def step() -> float:
        removals.go_on(greedy, asked.on.key, asked.how)
        return float(removals.effects(asked.key, [tuple(greedy.gone)], asked.how)[0])

    in_thread.begin("greedy", asked[:4], lambda: [step] * most)


def _draw(bar: float, role: str, asked: Asked, _watched: in_thread.Work) -> None:
    """Both works together, whichever of them is watched."""
    work, greedy = _known(asked)
    if work is None:
        return
    curves, drawn = _curves(work, greedy)
    curves = [curve for curve in curves if curve.order in (*USUAL, GREEDILY, f"{role} first")]
    if curves:
        figure = pruning(curves_table(curves, drawn), RANDOM, bar)
        title = "Effect on the sentence embedding as heads go, one order a line, beside random orders"
        shows = {"intervention": asked.how.in_words, "orders chosen on": asked.on.in_words}
        offer = partial(_offer_greedy, asked, greedy)
        show.chart(figure, "pruning-curve", title, across=0.5, shows=shows, beside=offer)
        said = sentence(curves, drawn, bar, len(asked.roles))
        st.caption(f"{said} {where_chosen(asked.on)} {work.parts[0].sentence}")
    in_thread.progress(work, "Orders of removal", "curve")
    if greedy:
        in_thread.progress(greedy, "Greedy order, heads", "greedy")


def chosen_on(key: TextKey) -> ChosenOn:
    """The longest other window of this text, else a sample text in its language, else there is this window only."""
    assert key.window is not None, "one window is shown"
    others = [passage for passage in readings.passages(key) if passage.index != key.window]
    if others:
        longest = max(others, key=len).index
        return ChosenOn(key.at(longest), f"window {longest + 1} of this text", is_other=True)
    other = next((s for s in samples() if s.language == key.language and s.text != key.text), None)
    if other is None:
        return ChosenOn(key, "this window itself", is_other=False)
    sample = replace(key, text=other.text, window=0)
    return ChosenOn(sample, f"another text, “{plain(other.title)}”", is_other=True)


def curves_table(curves: list[Curve], drawn: list[np.ndarray]) -> pd.DataFrame:
    """`tables.curve_table` of one window: order, removed, effect, low, high. drawn: of random orders, at the first's counts."""
    counts = curves[0].counts
    random = np.stack(drawn) if drawn else np.full((1, len(counts)), np.nan)
    at_counts = {one.order: one.effects[None] for one in curves if one.counts == counts}
    table = curve_table(at_counts, counts, random[:, None])
    others = [
        pd.DataFrame({"order": one.order, "removed": one.counts, "effect": one.effects})
        for one in curves
        if one.counts != counts
    ]
    return pd.concat([table, *others], ignore_index=True)


def sentence(curves: list[Curve], drawn: list[np.ndarray], bar: float, every: int) -> str:
    """How many heads can go up to a bar by each order, beside random orders."""
    can = [f"**{heads_that_can_go(one.counts, one.effects, bar)}** {one.order}" for one in curves]
    said = f"At an effect of at most {bar:.1%} on this one window, of {every} heads can go: {', '.join(can)}"
    if drawn:
        by_chance = [heads_that_can_go(curves[0].counts, one, bar) for one in drawn]
        said += (
            f"; by {len(drawn)} random orders {min(by_chance)} to {max(by_chance)}, half of them {np.median(by_chance):.0f} or "
            "fewer"
        )
    return (
        f"{said}. Counted at the numbers of heads that are marked; grey: from the lowest to the highest of the random "
        "orders, dashed their mean."
    )


def where_chosen(on: ChosenOn) -> str:
    """Where the orders come from, which decides what they are worth."""
    if on.is_other:
        return f"Orders were chosen on {on.in_words}, and are shown on this window; roles are this text's."
    return (
        f":material/warning: Orders were chosen on {on.in_words}, since there is no other text in its language: they look better "
        "than they are."
    )
