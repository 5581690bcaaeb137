"""What `python -m attn_core ablate` has found over many texts: its sentences, figures and tables."""

from functools import partial

import streamlit as st

from attn_core.charts.registry import Tables
from attn_core.interventions.opened import Ablation, about, answers
from attn_core.report.figures import drawn_of
from attn_core.report.of_tables import of_run
from attn_core.ui.runs.kinds import ABLATION
from attn_core.ui.runs.watching import choose_run, delete_button, open_run, show_outcome
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.downloads import report_button
from attn_core.ui.widgets.escape import plain

COMMAND = "python -m attn_core ablate TEXTS --heads L3H10 --out ablations/NAME"
# The tables, the answer first, by what they are called.
TABLES_BY_NAME = {
    "effects": "What follows from the removal", "accuracy": "Labelled texts",
    "importance": "Every head", "curve": "The curve", "orders": "The order",
    "texts": "The texts",
}  # fmt: skip


def show_ablation() -> None:
    """A finished folder: what it says, its report, figures and tables."""
    show_outcome()
    folder = choose_run(ABLATION, "Removed over many texts", "ablation", width=320)
    if folder is None:
        st.caption(
            f":material/info: `{COMMAND}` removes heads over many texts; with `--importance` or `--curve` in place of `--heads` "
            "each of them. Its folder opens here."
        )
    ablation: Ablation | None = open_run(ABLATION, folder)
    if ablation is None:
        return
    provenance = ablation.provenance
    st.caption(plain(f"{ablation.folder.name}: {about(ablation)}"))
    for sentence in answers(ablation):
        st.markdown(plain(sentence))
    with st.container(horizontal=True):
        report_button(ablation.folder.name, partial(of_run, ablation, quote=False), "ablation")
        delete_button(ablation.folder)
    for drawn in drawn_of(Tables("ablation", tuple(filter(ablation.has, TABLES_BY_NAME)), ablation.table)):
        show.chart(drawn.chart, f"ablation-{drawn.name}", drawn.title)
        st.caption(drawn.reading)
    tables = {label: name for name, label in TABLES_BY_NAME.items() if ablation.has(name)}
    label = one_of("Table", list(tables), "ablation_table", width=320)
    show.table(ablation.table(tables[label]), f"ablation-{tables[label]}", provenance=provenance)
