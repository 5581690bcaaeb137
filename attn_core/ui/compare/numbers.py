"""The statistics of both subjects: curves by depth, their numbers, and head by head where the models are of one shape."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from attn_core.charts.comparison import depth_curves, value_map
from attn_core.comparison.differences import curves, difference_in_words, head_differences, layer_differences
from attn_core.comparison.tables import Comparison
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import BY_LABEL, Statistic
from attn_core.report.document import Report
from attn_core.report.of_tables import of_comparison
from attn_core.ui.compare.subjects import Compared, by_name, provenance
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.downloads import report_button
from attn_core.ui.widgets.escape import plain


def show_layers(compared: Sequence[Compared]) -> Statistic:
    """A sentence that says what differs, and the curves of both by relative depth.

    Returns the statistic that was chosen, which is that of the maps too.
    """
    answer = st.empty()
    statistic = BY_LABEL[one_of("Statistic", list(BY_LABEL), "compared", width=320)]
    answer.markdown(f"**{plain(difference_in_words(by_name(compared), statistic))}**")
    st.caption(f"{statistic.question} Dashed: chance.")
    table = curves(by_name(compared))
    counted = statistic.over(" or ".join(dict.fromkeys(one.results.unit for one in compared)))
    of_statistic = table[table["statistic"] == statistic.name]
    show.chart(depth_curves(of_statistic, counted), "depth-curves", f"{statistic.label} by depth")
    return statistic


def show_numbers(view: View, compared: Sequence[Compared]) -> None:
    """Every statistic of both subjects by layer, and their differences."""
    about = provenance(view, compared)
    show.table(curves(by_name(compared)), "curves", provenance=about)
    show.table(layer_differences(*(one.results for one in compared)), "differences", provenance=about)


def offer_report(compared: Sequence[Compared]) -> None:
    """The comparison as a report; the subjects' heads are matched when it is asked for."""

    def make() -> Report:
        whole = Comparison(by_name(compared))
        return of_comparison(whole.tables(), whole.provenance)

    report_button("comparison", make, "comparison")


def show_maps(compared: Sequence[Compared], statistic: Statistic) -> None:
    """Every head of A and of B minus chance, and their difference where the shapes agree."""
    a, b = (one.results for one in compared)
    excess = [
        results.statistics[["layer", "head"]].assign(
            minus_chance=results.statistics[statistic.name] - results.statistics[statistic.chance]
        )
        for results in (a, b)
    ]
    ends = [table["minus_chance"].abs().max() for table in excess]
    limit = float(np.nanmax(ends)) or 1.0
    alike = a.shape == b.shape
    blank = statistic.of_pairs and any(too_few(results.statistics) for results in (a, b))
    sides = st.columns(2, gap="medium")
    for side, letter, table, one in zip(sides, "AB", excess, compared, strict=True):
        with side:
            st.markdown(f"**{letter}**: {plain(one.name)}, minus chance")
            title = f"{statistic.label} of every head of {letter}, minus chance"
            figure = value_map(table, "minus_chance", statistic, limit, blank)
            show.chart(figure, f"map-{letter.lower()}", title)
    if not alike:
        st.caption(
            "The models differ in layers or heads, so that no head of A has its own place in B: see the match below."
        )
        return
    with sides[0]:
        st.markdown("**A - B**, head by head")
        difference = head_differences(a, b, statistic)
        limit = float(difference["difference"].abs().max()) or 1.0
        figure = value_map(difference, "difference", statistic, limit, blank)
        title = f"{statistic.label} of every head, A minus B"
        show.chart(figure, "map-difference", title)
