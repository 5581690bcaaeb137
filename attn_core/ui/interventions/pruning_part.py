"""How many heads can go: the least important first, beside random orders, in the background."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.interventions import pruning
from attn_core.head import Head
from attn_core.interventions.orders import at_random, by_value
from attn_core.ui.caches import removals
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.interventions.importance_of_heads import Importance
from attn_core.ui.jobs import in_thread
from attn_core.ui.shell.frame import TextView
from attn_core.ui.widgets import show

BARS = (0.01, 0.05)  # effects up to which heads may go


def show_pruning(view: TextView, removed: Removed, importance: Importance) -> None:
    """The curve as far as it is known, or the button that begins it."""
    st.markdown("**How many heads can go,** the least important first?")
    of = removed.key, removed.how
    work = in_thread.known("curve", of)
    if work is None or work.cancelled:
        if importance.best is None:
            st.caption(":material/hourglass_top: The importance of the heads is not known yet.")
            return
        st.caption("One order by importance, and 20 at random for its chance level, in the background.")
        st.button(
            "Take heads away one after the other",
            icon=":material/stacked_line_chart:",
            key="begin-curve",
            on_click=partial(_begin, view.results.shape, removed, by_value(importance.best)),
        )
        return
    in_thread.watched(work, partial(_draw, view, removed))


def _begin(shape: tuple[int, int], removed: Removed, order: list[Head]) -> None:
    from attn_core.interventions.curves import counts_up_to

    counts = counts_up_to(len(order))
    orders = [order, *at_random(shape)]
    steps = [partial(_taken, removed, one, counts) for one in orders]
    in_thread.begin("curve", (removed.key, removed.how), lambda: steps)


def _taken(removed: Removed, order: list[Head], counts: list[int]) -> tuple[list[int], np.ndarray]:
    return counts, removals.curve(removed.key, order, counts, removed.how)


def _draw(view: TextView, removed: Removed, work: in_thread.Work) -> None:
    if work.parts:
        (counts, own), *others = work.parts
        drawn = np.stack([one for _, one in others]) if others else None
        table = curve_table(counts, own, drawn)
        title = "Effect as heads go, the least important first, beside random orders"
        show.chart(pruning(table), "pruning-curve", title, across=0.5, shows={"intervention": removed.how.in_words})
        st.caption(
            f":violet[━] least important first · :gray[┅] median of the random orders so far ({len(others)}), grey their range. "
            f"{told(counts, own, drawn)}"
        )
        provenance = view.provenance(replaced_by=removed.how.in_words, window=removed.key.number)
        show.folded_table("The curve in numbers", table, "pruning-curve", provenance)
    in_thread.progress(work, "Orders of removal", "curve")


def curve_table(counts: list[int], own: np.ndarray, drawn: np.ndarray | None) -> pd.DataFrame:
    """Columns heads, effect, low, median, high: of the random orders, NaN where there is none. drawn: (order, count)."""
    drawn = np.full((1, len(counts)), np.nan) if drawn is None else drawn
    low, median, high = drawn.min(axis=0), np.median(drawn, axis=0), drawn.max(axis=0)
    return pd.DataFrame({"heads": counts, "effect": own, "low": low, "median": median, "high": high})


def told(counts: list[int], own: np.ndarray, drawn: np.ndarray | None) -> str:
    """How many heads can go up to each bar, beside random orders."""
    from attn_core.interventions.curves import heads_that_can_go

    said = []
    for bar in BARS:
        can = heads_that_can_go(counts, own, bar)
        if drawn is None:
            said.append(f"{can} can go at an effect of {bar:.0%}")
            continue
        by_chance = [heads_that_can_go(counts, one, bar) for one in drawn]
        said.append(
            f"**{can} of {counts[-1]} heads** can go at an effect of {bar:.0%} (random orders: {min(by_chance)} to "
            f"{max(by_chance)}, half of them {np.median(by_chance):.0f} or fewer)"
        )
    return (
        "; ".join(said)
        + ". Counted at the numbers of heads that are marked; this window alone, which also gave the order."
    )
