"""What is learned, what is language: the claims in the first subject, with the others beside it."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from attn_core.comparison.causes import RULE, Cause, Contrast
from attn_core.comparison.tables import Comparison
from attn_core.findings.verdicts import label
from attn_core.report.document import Report
from attn_core.report.of_comparison import of_comparison
from attn_core.ui import derived
from attn_core.ui.compare.subjects import Compared, provenance
from attn_core.ui.findings.picture import show_cause, show_picture
from attn_core.ui.shell.handing_on import report_button
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain

SIGNS = {
    "as in the paper": "● ",
    "unlike the paper": "○ ",
    "as in any network": "◐ ",
    "no clear sign": "– ",
    "not asked": "",
}


def show_causes(view: View, compared: Sequence[Compared]) -> None:
    """The answer of studies: the claims in the first with the others beside it, and folded what decides."""
    of = [one.choice for one in compared], [one.name for one in compared]
    own, others, few, table = derived.causes(*of)

    def beside() -> None:
        offer_report(compared)
        if few:
            st.caption(f":material/info: {few}", width="content")

    show_picture(derived.claims_compared(*of), "compared", beside=beside)
    show.folded("The rule, and the numbers put in", "causes", partial(_numbers, view, compared, own, others, table))


def _numbers(
    view: View, compared: Sequence[Compared], own: Sequence[Cause], others: Sequence[Contrast], table: pd.DataFrame
) -> None:
    for cause in own:
        show_cause(f"{cause.bars.name}, {cause.subject}", cause.label, cause.sentence)
    for one in others:
        show_cause(f"{one.bars.name}, beside {one.others[0]}", one.verdict, one.sentence)
    st.markdown(RULE)
    show.table(table, "causes", provenance(view, compared))


def offer_report(compared: Sequence[Compared]) -> None:
    """The comparison as a report; the subjects' heads are matched when it is asked for."""

    def make(_quote: bool) -> Report:
        whole = Comparison(compared)
        return of_comparison(whole.tables(), whole.provenance)

    report_button("comparison", "comparison", make)


def show_verdicts(view: View, compared: Sequence[Compared]) -> None:
    """The findings of all studies side by side."""
    table = derived.findings_table([one.choice for one in compared], [one.name for one in compared])
    told = (
        table["verdict"].map(SIGNS)
        + table["verdict"]
        + table["effect"].map(lambda number: f", {number}" if number else "")
    )
    wide = table.assign(verdict=told).pivot(index=["claim", "topic"], columns="subject", values="verdict")
    wide = wide[[one.name for one in compared]]
    show.table(wide.reset_index(), "verdicts", provenance(view, compared))
    _sentences(table, compared[:2])


def _sentences(table: pd.DataFrame, two: Sequence[Compared]) -> None:
    for (claim, topic), group in table[table["subject"].isin([one.name for one in two])].groupby(
        ["claim", "topic"], sort=False
    ):
        for side, row in zip(st.columns(2, gap="large"), group.itertuples(), strict=True):
            side.markdown(f":gray[{claim}] **{topic}**: {label(row.verdict, row.unclear)}. {plain(row.sentence)}")
