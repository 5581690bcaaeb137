"""The first screen: the map to click heads off beside what their removal does, and what that of random heads does."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.interventions import effect_beside_chance, removal_map
from attn_core.interventions.random_sets import Set, sets_beside
from attn_core.ui import removals
from attn_core.ui.interventions import heads_off, importance_of_heads
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.interventions.importance_of_heads import AT_ONCE, Importance, in_groups
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.head_names import in_names, named
from attn_core.ui.widgets.pick import head_chart

MAP = "heads-off"


def show_map(view: View, removed: Removed, importance: Importance) -> None:
    """All heads by importance; a click takes one off. Below it the same for head A, by keys."""
    heads = heads_table(view, removed, importance)
    title = f"{importance.kind} importance: effect of removing it alone"
    st.caption("**Click a head to take it off, once more to put it back.**")
    figure = view.marked(removal_map(heads[["layer", "head", "importance", "off"]], title))
    click = partial(heads_off.click_off, view, MAP)
    head_chart(figure, MAP, "Importance of every head, and which are off", on_select=click)
    with st.container(horizontal=True):
        a = view.head_a
        st.button(
            f"{a} {'back on' if a in removed.heads else 'off'}",
            key="off-a",
            icon=":material/power_settings_new:",
            help="Head A.",
            on_click=partial(heads_off.turn, view.results.shape, [a]),
        )
        importance_of_heads.offer_measuring(removed)
        if removed.heads and not removed.is_everything:
            # The model without these heads as subject B of Compare, beside the whole one.
            off = {"b_off": in_names(removed.heads, view.results.shape[1]), "b_replace": removed.how}
            if st.button(
                "Without them on Compare", icon=":material/compare_arrows:", key="to-compare", type="tertiary"
            ):
                st.switch_page("pages/8_Compare.py", query_params=off)
    importance_of_heads.say(removed, importance)


def heads_table(view: View, removed: Removed, importance: Importance) -> pd.DataFrame:
    """One row a head: layer, head, role, importance (NaN where it is not known), off."""
    values = np.nan if importance.best is None else importance.best.ravel()
    return view.results.statistics[["layer", "head", "role"]].assign(importance=values, off=removed.is_off)


def show_effect(view: View, removed: Removed) -> None:
    """How far the sentence embedding moves, and, once they are known, how far the heads move it that stand beside it."""
    if not removed.heads:  # nothing is removed, nothing changes, bit for bit: no model is asked
        _number(0, "no head is off")
        st.info("Click some heads off on the map.", icon=":material/touch_app:")
        return
    effect = float(removals.effect(removed.key, removed.heads, removed.how).embedding[0])
    sets = sets_beside(removed.heads, view.results.shape)
    place = st.container()
    if removed.is_everything:
        st.caption(":material/info: All heads are off: what is left is the words, their places and the layers between.")
    if all(one == removed.heads for one in sets):
        with place:
            _number(effect, "no other heads to compare")
        st.caption(
            f"Without {named(removed.heads)} the sentence embedding moves by {effect:.2%}. Whole layers are off, "
            "so that there are no other heads of the same layers whose removal could be its chance level."
        )
        return
    groups = in_groups(sets, AT_ONCE)  # as many as where all heads are measured: they are the same
    work = in_thread.begin(
        "band",
        (removed.key, removed.removal),
        lambda: [partial(removals.effects, removed.key, some, removed.how) for some in groups],
    )
    in_thread.watched(work, partial(_draw, removed, effect, sets))


def _draw(removed: Removed, effect: float, sets: Sequence[Set], work: in_thread.Work) -> None:
    """The number, the sentence and the figure, with as many of the other sets as are known by now."""
    every = np.concatenate([np.empty(0), *work.parts])
    drawn = every[np.array([one != removed.heads for one in sets[: len(every)]], dtype=bool)]
    alone = len(removed.heads) == 1
    spread = f"{drawn.min():.2%} to {drawn.max():.2%}" if len(drawn) else "on their way"
    _number(effect, f"{'other heads' if alone else 'chance'}: {spread}")
    st.caption(sentence(named(removed.heads), effect, drawn, alone))
    figure, name = effect_beside_chance(effect, drawn), "effect-beside-chance"
    show.chart(figure, name, "Effect of the heads that are off, beside other heads")
    others = "every other head of the model, alone" if alone else "as many random heads of the same layers"
    st.caption(f":violet[◆] the heads that are off · :gray[●] {others}")
    in_thread.progress(work, "Removing other heads, a few at a time", "band")


def _number(effect: float, beside: str) -> None:
    explained = "1 − cosine of the mean last states, with and without the heads. 0: no change."
    show.beside_chance("Change of the sentence embedding", f"{effect:.2%}", beside, explained)


def sentence(names: str, effect: float, drawn: np.ndarray, alone: bool) -> str:
    """What the numbers say. drawn: effects of other heads, each alone, or of random sets."""
    said = f"Without {names} the sentence embedding moves by **{effect:.2%}** (1 − cosine)"
    if not len(drawn):
        return f"{said}."
    further, every = int((drawn >= effect).sum()), 1 + len(drawn)
    rank = "most" if not further else "least" if further == len(drawn) else f"as number {1 + further}"
    of = f"{every} heads of the model, each alone" if alone else f"{every} sets with as many heads of the same layers"
    return f"{said}, **{rank} of {of}**; the others by {drawn.min():.2%} to {drawn.max():.2%}."
