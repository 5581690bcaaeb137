"""Importance of every head of a window: estimated when the page opens, measured one by one where that is asked for."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from attn_core.head import every_head
from attn_core.interventions.random_sets import Set
from attn_core.numerics.ranks import correlation, ranks
from attn_core.ui import removals
from attn_core.ui.interventions import pruning_part
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show

AT_ONCE = 4  # heads a step, so that a click on the map does not wait for long


@dataclass(frozen=True, eq=False)
class Importance:
    """(layer, head) each, None where it is not known: yet, or at all."""

    estimated: np.ndarray | None
    measured: np.ndarray | None

    @property
    def best(self) -> np.ndarray | None:
        """The measured where it is there."""
        return self.estimated if self.measured is None else self.measured

    @property
    def kind(self) -> str:
        return "estimated" if self.measured is None else "measured"

    @property
    def agreement(self) -> float | None:
        """Rank correlation of the estimate with the measured."""
        if self.estimated is None or self.measured is None:
            return None
        return float(correlation(*(ranks(values.ravel()) for values in (self.estimated, self.measured))))


def find(removed: Removed) -> Importance:
    """What is known by now; the estimate is begun where it was not."""
    of = removed.key, removed.how
    estimated = None
    if removed.how != "even":
        work = in_thread.begin("estimate", of, lambda: [partial(removals.estimate, *of)])
        estimated = work.parts[0] if work.complete else None
    measuring = in_thread.known("measure", of)
    measured = np.concatenate(measuring.parts).reshape(removed.shape) if measuring and measuring.complete else None
    return Importance(estimated, measured)


def say(removed: Removed, importance: Importance) -> None:
    """Where the colours come from, and how far they can be trusted."""
    of = removed.key, removed.how
    if (estimating := in_thread.known("estimate", of)) and not estimating.complete:
        in_thread.watched(estimating, partial(in_thread.progress, doing="Estimating all heads at once", key="estimate"))
    measuring = in_thread.known("measure", of)
    if importance.measured is not None:
        agreement = importance.agreement
        fit = "" if agreement is None else f" The estimate has a rank correlation of {agreement:z.2f} with it."
        st.caption(f":material/straighten: Colours: importance **measured** one by one in this window.{fit}")
        return
    if importance.estimated is not None:
        st.caption(
            ":material/bolt: Colours: importance **estimated** at once, to first order, from eight backward passes; crossed "
            "out: off."
        )
    elif removed.how == "even":
        st.caption(":material/info: Where attention is changed, importance is measured, not estimated.")
    if measuring and not measuring.cancelled:
        in_thread.watched(
            measuring, partial(in_thread.progress, doing="Heads removed one by one, in fours", key="measure")
        )


def offer_measuring(removed: Removed) -> None:
    """The button that begins it, where it was not begun."""
    measuring = in_thread.known("measure", (removed.key, removed.how))
    if measuring is None or measuring.cancelled:
        st.button(
            f"Measure all {len(removed.is_off)} heads one by one",
            icon=":material/straighten:",
            key="measure-heads",
            help="Each head is removed alone: as many passes of the model as it has heads, in the background.",
            on_click=partial(_measure, removed),
        )


def _measure(removed: Removed) -> None:
    in_thread.begin(
        "measure",
        (removed.key, removed.how),
        lambda: [partial(removals.effects, removed.key, some, removed.how) for some in _alone(removed)],
    )


def _alone(removed: Removed) -> list[list[Set]]:
    """Each head alone, a few of them a step."""
    return in_groups([(head,) for head in every_head(*removed.shape)], AT_ONCE)


def in_groups(sets: list[Set], size: int) -> list[list[Set]]:
    """So many a step."""
    return [sets[start : start + size] for start in range(0, len(sets), size)]


def show_numbers(view: View, removed: Removed, importance: Importance) -> None:
    """All heads and the curve as tables; what was not measured yet has none."""
    st.markdown("**Importance of every head**")
    provenance = view.provenance(replaced_by=removed.replaced_by)
    heads = view.results.statistics[["layer", "head", "role", "anchor"]].copy()
    for kind, values in (("estimated", importance.estimated), ("measured", importance.measured)):
        heads[f"{kind}_importance"] = np.nan if values is None else values.ravel()
    heads = heads.sort_values(f"{importance.kind}_importance", ascending=False, kind="stable", ignore_index=True)
    columns = {f"{kind}_importance": show.share_column(kind) for kind in ("estimated", "measured")}
    show.table(heads, "importance", columns=columns, height=250, provenance=provenance | {"window": removed.key.number})

    st.markdown("**Effect by the number of heads removed**")
    pruning_part.show_table(view, removed)
