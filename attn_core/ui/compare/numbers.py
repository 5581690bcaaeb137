"""The statistics of both subjects: curves by depth, their numbers, and head by head where the models are of one shape."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from attn_core.charts.head_map import value_map
from attn_core.charts.series import depth_curves
from attn_core.comparison.differences import curves, describe_difference, head_differences, layer_differences
from attn_core.comparison.tables import Comparison
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import BY_LABEL, Statistic
from attn_core.report.document import Report
from attn_core.report.of_tables import of_comparison
from attn_core.ui.compare.subjects import Compared
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.downloads import report_button
from attn_core.ui.widgets.escape import plain


def whole(compared: Sequence[Compared]) -> Comparison:
    """Both subjects by their names."""
    return Comparison({one.name: one.results for one in compared})


def choose_statistic() -> Statistic:
    """The statistic that curves and maps are of."""
    return BY_LABEL[one_of("Statistic", list(BY_LABEL), "compared", width=320)]


def show_layers(compared: Sequence[Compared], statistic: Statistic) -> None:
    """A sentence that says what differs, and the statistic of both subjects by relative depth."""
    subjects = whole(compared).subjects
    st.markdown(f"**{plain(describe_difference(subjects, statistic))}**")
    table = curves(subjects)
    counted = statistic.over(" or ".join(dict.fromkeys(one.results.unit for one in compared)))
    figure = depth_curves(table[table["statistic"] == statistic.name], counted)
    show.chart(figure, "depth-curves", f"{statistic.label} by depth")


def show_maps(compared: Sequence[Compared], statistic: Statistic) -> None:
    """Every head of A and of B minus chance, and their difference where the shapes agree."""
    a, b = (one.results for one in compared)
    excess = [
        one.statistics[["layer", "head"]].assign(
            minus_chance=one.statistics[statistic.name] - one.statistics[statistic.chance]
        )
        for one in (a, b)
    ]
    limit = float(np.nanmax([table["minus_chance"].abs().max() for table in excess])) or 1.0
    blank = statistic.of_pairs and any(too_few(one.statistics) for one in (a, b))
    sides = st.columns(2, gap="medium")
    for side, letter, table, one in zip(sides, "AB", excess, compared, strict=True):
        with side:
            st.markdown(f"**{letter}**: {plain(one.name)}, minus chance")
            figure = value_map(table, "minus_chance", statistic, limit, blank)
            show.chart(figure, f"map-{letter.lower()}", f"{statistic.label} of every head of {letter}, minus chance")
    with sides[0]:
        if a.shape != b.shape:
            st.caption("The models differ in layers or heads, so that no head of A has a place in B.")
            return
        st.markdown("**A - B**, head by head")
        difference = head_differences(a, b, statistic)
        limit = float(difference["difference"].abs().max()) or 1.0
        figure = value_map(difference, "difference", statistic, limit, blank)
        show.chart(figure, "map-difference", f"{statistic.label} of every head, A minus B")


def show_numbers(compared: Sequence[Compared]) -> None:
    """Every statistic of both subjects by layer, and their differences."""
    about = whole(compared).provenance
    show.table(curves(whole(compared).subjects), "curves", choices=about)
    show.table(layer_differences(*(one.results for one in compared)), "differences", choices=about)


def offer_report(compared: Sequence[Compared]) -> None:
    """The comparison as a report; the heads are matched when it is asked for."""

    def make() -> Report:
        return of_comparison(whole(compared).tables(), whole(compared).provenance)

    report_button("comparison", make, "comparison")
