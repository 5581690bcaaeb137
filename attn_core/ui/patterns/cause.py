"""From pattern to cause: the heads that see the pattern best are removed, and the later heads are asked again."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.interventions import change_map
from attn_core.charts.patterns import ALPHA
from attn_core.head import Head
from attn_core.interventions.lost_pattern import lost_by, lost_pattern
from attn_core.interventions.random_sets import Set, sets_alike, too_few
from attn_core.models.intervention import BY_MEAN
from attn_core.patterns.rules import Sought
from attn_core.similarity.strong_pairs import Measure
from attn_core.ui.caches import removals
from attn_core.ui.choice import TextKey
from attn_core.ui.patterns.choice import provenance, windows_of
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import number_input
from attn_core.ui.widgets.head_names import in_names, named
from attn_core.ui.widgets.pick import head_chart

Of = tuple[TextKey, tuple[int, ...], Sought, Measure, Set]
USUAL, MOST = 3, 12  # heads that are removed


def show_cause(view: TextView, sought: Sought, heads: pd.DataFrame) -> None:
    """Choose how many of the best go, begin, and read what the later heads lose. heads: of `Seen.heads`."""
    layers, across = view.results.shape
    if layers == 1:
        st.caption(":material/info: This model has one layer: no head reads what another one puts out.")
        return
    most = min(MOST, across - 1) or 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = number_input("Best heads to remove", 1, most, min(USUAL, most), key="best_removed", width=180)
        best = heads[heads["layer"] < layers].nlargest(number, "score")
        removed = tuple(sorted(Head.of_row(*row) for row in zip(best["layer"], best["head"], strict=True)))
        windows = windows_of(view, sought)
        of: Of = view.choice.key, windows, sought, view.choice.settings.measure, removed
        work = in_thread.known("cause", of)
        if work is None or work.cancelled:
            st.button(
                f"Remove {named(removed)} and look again",
                icon=":material/content_cut:",
                key="begin-cause",
                on_click=partial(_begin, view, of),
            )
        if st.button(
            "Take them off on Interventions", icon=":material/power_settings_new:", type="tertiary", key="to-off"
        ):
            st.switch_page("pages/7_Interventions.py", query_params={"off": in_names(removed, across)})
    st.caption(
        "The best of all layers but the last, which no head reads. They put out their mean over the English sample texts; as "
        "many random heads of the same layers are the chance level."
    )
    if work is not None and not work.cancelled:
        in_thread.watched(work, partial(_draw, view, sought, removed))


def sentence(table: pd.DataFrame, removed: Set, largest: np.ndarray) -> str:
    """Which later head loses most, and whether that is more than chance; where too few sets can say so, in how many of them a
    head loses as much. largest: loss of any later head, by random set.
    """
    most = table.iloc[0]
    if not most["lost"] > 0:
        return f"Without {named(removed)}, none of {len(table)} later heads loses anything of the pattern."
    name, sets = Head.of_row(most["layer"], most["head"]), len(largest)
    said = (
        f"Without {named(removed)}, of {len(table)} later heads **{name}** loses most: its score falls from {most['score']:.1%} "
        f"to {most['score_without']:.1%}. Without as many random heads of the same layers, {sets} sets, the head that "
        f"loses most loses {100 * largest.min():.1f} to {100 * largest.max():.1f} points"
    )
    if too_few(sets, ALPHA):
        as_much = int((largest >= most["lost"] - 1e-12).sum())
        return f"{said}, **in {as_much or 'none'} of these sets as much**. So few sets give no p below {ALPHA}."
    sure = int((table["p_adjusted"] < ALPHA).sum())
    which = "more than chance" if sure else "not distinguishable from chance"
    p = f"p = {most['p_adjusted']:.2f}, over all later heads"
    return f"{said}. That is **{which}** ({p}); {sure} of them lose more than chance."


def _begin(view: TextView, of: Of) -> None:
    key, windows, sought, measure, removed = of
    look = partial(_seen_without, key, windows, sought, measure)
    ways = [(), removed, *sets_alike(removed, view.results.shape)]
    in_thread.begin("cause", of, lambda: [partial(look, some) for some in ways])


def _seen_without(
    key: TextKey, windows: tuple[int, ...], sought: Sought, measure: Measure, heads: Set
) -> tuple[Set, np.ndarray]:
    scores = removals.pattern_scores(key, windows, sought, measure, replace(BY_MEAN, heads=heads) if heads else None)
    assert scores is not None, "a pattern that is looked for again has pairs"
    return heads, scores


def _draw(view: TextView, sought: Sought, removed: Set, work: in_thread.Work) -> None:
    in_thread.progress(work, "Looking again, without these heads and without random ones", "cause")
    if not work.complete:
        return
    (_, before), (_, after), *random = work.parts
    if not random:
        st.caption(":material/info: There are no other heads in these layers, which could be the chance level.")
        return
    by_chance = np.stack([lost_by(before, scores, some) for some, scores in random])
    table = lost_pattern(before, after, removed, by_chance)
    st.markdown(sentence(table, removed, np.nanmax(by_chance, axis=(1, 2))))
    heads = view.results.statistics[["layer", "head", "role"]].merge(table[["layer", "head", "lost"]], how="left")
    off = [Head.of_row(*row) in removed for row in zip(heads["layer"], heads["head"], strict=True)]
    left, right = st.columns([3, 2], gap="large")
    with left:
        title = "What every later head loses of the pattern"
        figure = change_map(heads.assign(change=heads["lost"].fillna(0), off=off), "score lost", "Scores lost by")
        head_chart(view.marked(figure), "pattern-lost", title, heads, across=0.5, shows={"removed": named(removed)})
    with right:
        columns = show.shares("score", "score_without", "lost", "chance_lost")
        if too_few(len(random), ALPHA):
            table = table.drop(columns="p_adjusted")
        else:
            columns["p_adjusted"] = st.column_config.NumberColumn("p, all later heads", format="%.2f")
        show.table(
            table, "pattern-lost", provenance(view, sought) | {"removed": named(removed)}, columns=columns, height=300
        )
