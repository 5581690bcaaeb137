"""Importance of every head of a window: estimated at once when the page opens, measured one by one where that is asked for."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from attn_core.head import Head, every_head
from attn_core.models.intervention import CHANGES_OF_ATTENTION
from attn_core.numerics.ranks import correlation, ranks
from attn_core.ui.caches import removals
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import TextView

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


def find(view: TextView, removed: Removed) -> Importance:
    """What is known by now; the estimate is begun where it was not, and so is what was measured on an earlier visit."""
    of = removed.key, removed.how
    estimated = None
    if removed.how.replace not in CHANGES_OF_ATTENTION:
        work = in_thread.begin("estimate", of, lambda: [partial(removals.estimate, *of)])
        estimated = work.parts[0] if work.complete else None
    measuring = in_thread.known("measure", of)
    if measuring is None and removals.is_kept(*of, _groups(view.results.shape)[-1]):
        _measure(view.results.shape, removed)
        measuring = in_thread.known("measure", of)
    measured = np.concatenate(measuring.parts).reshape(view.results.shape) if measuring and measuring.complete else None
    return Importance(estimated, measured)


def say(removed: Removed, importance: Importance) -> None:
    """Where the colours come from, and how far they can be trusted."""
    of = removed.key, removed.how
    count = removed.every
    if (estimating := in_thread.known("estimate", of)) and not estimating.complete:
        in_thread.watched(estimating, partial(in_thread.progress, doing="Estimating all heads at once", key="estimate"))
    measuring = in_thread.known("measure", of)
    if importance.measured is not None:
        agreement = importance.agreement
        fit = "" if agreement is None else f" The estimate has a rank correlation of {agreement:.2f} with it."
        st.caption(
            f":material/straighten: Colours: importance **measured** one by one in this window.{fit} {count} effects are many: "
            f"at a bar of 5 %, {0.05 * count:.0f} heads pass it by luck; the largest of all must be shown again on another text."
        )
        return
    if importance.estimated is not None:
        st.caption(
            ":material/bolt: Colours: importance **estimated** at once, to first order, from eight backward passes; crossed "
            "out: off."
        )
    elif removed.how.replace in CHANGES_OF_ATTENTION:
        st.caption(":material/info: Where attention is changed, importance is measured, not estimated.")
    if measuring and not measuring.cancelled:
        in_thread.watched(
            measuring, partial(in_thread.progress, doing="Heads removed one by one, in fours", key="measure")
        )


def offer_measuring(view: TextView, removed: Removed) -> None:
    """The button that begins it, where it was not begun."""
    measuring = in_thread.known("measure", (removed.key, removed.how))
    if measuring is None or measuring.cancelled:
        st.button(
            f"Measure all {removed.every} heads one by one",
            icon=":material/straighten:",
            key="measure-heads",
            help="Each head is removed alone: as many passes of the model as it has heads, in the background.",
            on_click=partial(_measure, view.results.shape, removed),
        )


def _measure(shape: tuple[int, int], removed: Removed) -> None:
    in_thread.begin(
        "measure",
        (removed.key, removed.how),
        lambda: [partial(removals.effects, removed.key, some, removed.how) for some in _groups(shape)],
    )


def _groups(shape: tuple[int, int]) -> list[list[tuple[Head, ...]]]:
    """Each head alone, a few of them a step."""
    alone: list[tuple[Head, ...]] = [(head,) for head in every_head(*shape)]
    return [alone[start : start + AT_ONCE] for start in range(0, len(alone), AT_ONCE)]
