"""The first screen: the map of all heads, and how far the embedding moves without some of them, among other heads."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.interventions import effect_beside_chance, removal_map
from attn_core.interventions.random_sets import sets_alike
from attn_core.ui import removals
from attn_core.ui.interventions import removed_heads
from attn_core.ui.interventions.removed_heads import Removed
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.head_names import in_names
from attn_core.ui.widgets.pick import head_chart

MAP = "importance-map"


def show_map(view: View, removed: Removed) -> None:
    """All heads by estimated importance, the removed ones crossed out; a click removes another."""
    figure = view.marked(removal_map(heads_table(view, removed), "estimated effect of removing it alone"))
    click = partial(removed_heads.click, MAP, removed.shape)
    head_chart(figure, MAP, "Estimated importance of every head, and which are removed", on_select=click)
    st.caption("Click a head to remove it, Shift-click to remove several.")


def heads_table(view: View, removed: Removed) -> pd.DataFrame:
    """One row a head: layer, head, importance, off."""
    importance = removals.estimate(removed.key, removed.how).ravel()
    return view.results.statistics[["layer", "head"]].assign(importance=importance, off=removed.is_off)


def show_effect(removed: Removed) -> None:
    """How far the sentence embedding moves, among the effects of as many other heads of the same layers."""
    names = in_names(removed.heads, removed.shape[1])
    st.header(f"Without {names}", anchor=False)
    effect = float(removals.effect(removed.key, removed.heads, removed.how).embedding[0])
    others = sets_alike(removed.heads, removed.shape)
    place = st.container()
    drawn = removals.effects(removed.key, others, removed.how, "Removing other heads")
    with place:
        chance = f"chance: {drawn.min():.2%} to {drawn.max():.2%}" if len(drawn) else None
        explained = "1 − cosine of the mean of the last states, with and without the heads. 0: no change."
        show.beside_chance("Change of the sentence embedding", f"{effect:.2%}", chance, explained)
        st.markdown(sentence(effect, drawn, alone=len(removed.heads) == 1))
        title = f"Effect of removing {names}, among other heads"
        show.chart(effect_beside_chance(effect, drawn), "effect-beside-chance", title)


def sentence(effect: float, drawn: np.ndarray, alone: bool) -> str:
    """What an effect is beside those of other heads."""
    if not len(drawn):
        return "Whole layers are removed, so that no other heads of these layers are left to compare with."
    others = "other head of its layer" if alone else "as many random heads of the same layers"
    if effect > drawn.max():
        return f"The embedding moves further than without any {others}."
    if effect < drawn.min():
        return f"The embedding moves less than without any {others}."
    return f"The embedding moves about as far as without {'another head of its layer' if alone else others}."
