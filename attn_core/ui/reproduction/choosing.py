"""What of a reproduction the page Findings shows: corpus, models, controls, row. All of it in the address."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.charts.marks import SELECTION
from attn_core.findings.bars import BARS, BY_EFFECT, Bars
from attn_core.reproduction.conclusions import SUBJECTS
from attn_core.reproduction.opened import Reproduction
from attn_core.ui.widgets.address import chosen_among, chosen_of
from attn_core.ui.widgets.controls import keep_among, one_of

GRID = "verdict-grid"
LABELS = {bars.name: bars.effect for bars in BARS}  # as they stand in the address


@dataclass(frozen=True)
class Shown:
    """What is shown of a reproduction. models, controls: columns of the grid; bars, model: whose curve is drawn."""

    reproduction: Reproduction
    corpus: str
    models: tuple[str, ...]
    controls: tuple[str, ...]
    bars: Bars
    model: str

    @property
    def provenance(self) -> dict[str, object]:
        """Where a table comes from that is made of it."""
        return {**self.reproduction.provenance, "corpus": self.corpus}

    def table(self, name: str) -> pd.DataFrame:
        """The rows of a table that are of this corpus."""
        rows = self.reproduction.table(name)
        return rows[rows["corpus"] == self.corpus]


def choose_shown(reproduction: Reproduction, row: DeltaGenerator) -> Shown:
    """The filters of the grid, in the row where the reproduction is chosen."""
    verdicts = reproduction.verdicts
    corpora = list(dict.fromkeys(verdicts["corpus"]))
    with row:
        corpus = corpora[0]
        if len(corpora) > 1:
            corpus = one_of("Corpus", corpora, "of_corpus", width=260)
        of_corpus = verdicts[verdicts["corpus"] == corpus]
        every = list(dict.fromkeys(of_corpus["model"]))
        models = every
        if len(every) > 1:
            chosen_among("of_models", every)
            models = st.multiselect("Models", every, key="of_models", bind="query-params", placeholder="all", width=260)
        controls = _choose_controls(set(of_corpus["control"]))
    names, shown = list(LABELS), tuple(models or every)
    keep_among("row", names, names[0])
    keep_among("of_model", shown, shown[0])
    name, model = chosen_of("row", names), chosen_of("of_model", shown)  # whose widgets stand below the grid
    return Shown(reproduction, corpus, shown, controls, BY_EFFECT[LABELS[name]], model)


def _choose_controls(there: set[str]) -> tuple[str, ...]:
    """The controls that stand beside each model; by themselves they are folded."""
    labels = {words: name for name, words in SUBJECTS.items() if words and name in there}
    if not labels:
        return ()
    chosen_among("of_controls", list(labels))
    pressed = st.pills(
        "Beside each model", list(labels), selection_mode="multi", key="of_controls", bind="query-params"
    )
    return tuple(labels[label] for label in pressed)


def choose_row(models: tuple[str, ...]) -> tuple[Bars, str]:
    """The row of a claim and the model of the curve, as a click in the grid chooses them."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        name = one_of("Row of a claim", list(LABELS), "row", width=320)
        model = one_of("Model", models, "of_model", width=260) if len(models) > 1 else models[0]
    return BY_EFFECT[LABELS[name]], model


def clicked() -> None:
    """A click in the grid chooses row and model."""
    if cells := st.session_state[f"chart-{GRID}"]["selection"][SELECTION]:
        st.session_state["row"] = BY_EFFECT[cells[0]["row"]].name
        st.session_state["of_model"] = cells[0]["model"]
