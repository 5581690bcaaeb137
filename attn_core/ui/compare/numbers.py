"""The statistics of the subjects: curves by depth, their numbers, head by head where the models are of one shape."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.comparison import depth_curves, difference_curve, value_map
from attn_core.comparison.subjects import head_differences, layer_differences
from attn_core.measures.statistics import BY_LABEL, Statistic
from attn_core.ui.caches import of_choice
from attn_core.ui.compare.subjects import Compared, of_subjects, provenance
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain


def show_layers(compared: Sequence[Compared]) -> Statistic:
    """Curves of all subjects over relative depth, and A minus B with its interval where both are studies.

    Returns the statistic that was chosen, which is that of the maps too.
    """
    table = of_choice.curves([one.choice for one in compared], [one.name for one in compared])
    a, b = compared[:2]
    left, right = st.columns(2, gap="large")
    with left:
        # The label would push the figure off the first screen, below an answer of nine lines.
        statistic = BY_LABEL[one_of("Statistic", list(BY_LABEL), "compared", label_visibility="collapsed")]
        counted = statistic.over(" or ".join(dict.fromkeys(one.subject.results.unit for one in compared)))
        show.chart(
            depth_curves(table[table["statistic"] == statistic.name], counted),
            "depth-curves",
            f"{statistic.label} by depth",
            across=0.5,
            shows=of_subjects(compared),
        )
    with right:
        differences, intervals = _differences(a, b)
        st.caption(f"{statistic.question} Dashed: chance. Here A minus B. {intervals}")
        shown = differences[differences["statistic"] == statistic.name]
        if len(shown):
            show.chart(
                difference_curve(shown, statistic, (a.name, b.name)),
                "difference-curve",
                f"{statistic.label} by depth, A minus B",
                across=0.5,
                shows=of_subjects(compared[:2]),
            )
    return statistic


def show_numbers(view: View, compared: Sequence[Compared]) -> None:
    """Every statistic of every subject by layer, and the differences of the first two."""
    table = of_choice.curves([one.choice for one in compared], [one.name for one in compared])
    show.table(table, "curves", provenance(view, compared))
    show.table(_differences(*compared[:2])[0], "differences", provenance(view, compared[:2]))


def _differences(a: Compared, b: Compared) -> tuple[pd.DataFrame, str]:
    """A minus B by depth, and what its intervals rest on."""
    first, second = a.subject.results, b.subject.results
    if a.choice.study and b.choice.study:
        differences = of_choice.paired(a.choice.study, b.choice.study)
        kind = (
            f"Bars: 95 % intervals, paired over the {differences.texts[0]} texts that both counted."
            if differences.paired
            else "Bars: 95 % intervals; these studies are of different texts and not paired, so that they are wider."
        )
        return differences.layers, kind
    return layer_differences(first, second), "One text has no interval: a study of many texts has."


def show_maps(compared: Sequence[Compared], statistic: Statistic) -> None:
    """Every head of A and of B minus chance, and their difference where the shapes agree."""
    a, b = (one.subject.results for one in compared[:2])
    excess = [
        results.statistics[["layer", "head"]].assign(
            minus_chance=results.statistics[statistic.name] - results.statistics[statistic.chance]
        )
        for results in (a, b)
    ]
    ends = [table["minus_chance"].abs().max() for table in excess]
    limit = float(np.nanmax(ends)) or 1.0
    alike = a.shape == b.shape
    sides = st.columns(2, gap="medium")
    for side, letter, table, one in zip(sides, "AB", excess, compared, strict=False):
        with side:
            st.markdown(f"**{letter}**: {plain(one.name)}, minus chance")
            title = f"{statistic.label} of every head of {letter}, minus chance"
            figure = value_map(table, "minus_chance", statistic, limit)
            show.chart(figure, f"map-{letter.lower()}", title, across=0.33, shows=of_subjects(compared[:2]))
    if not alike:
        st.caption(
            "The models differ in layers or heads, so that no head of A has its own place in B: see the match below."
        )
        return
    with sides[0]:
        st.markdown("**A - B**, head by head")
        difference = head_differences(a, b, statistic)
        limit = float(difference["difference"].abs().max()) or 1.0
        figure = value_map(difference, "difference", statistic, limit)
        title = f"{statistic.label} of every head, A minus B"
        show.chart(figure, "map-difference", title, across=0.33, shows=of_subjects(compared[:2]))
