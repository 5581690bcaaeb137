"""The steps of a training: a statistic by layer, roles, the claims, drift, and one head, step by step."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.charts.catalogue import TRAINING, Tables
from attn_core.charts.curve import NO_COPIES, THIS_MODEL, Copies
from attn_core.claims.table import readable_claims
from attn_core.measures.roles import clearest_head, role_counts
from attn_core.measures.statistics import BY_LABEL, STATISTICS, Statistic
from attn_core.study.opened import Study, SubjectTables
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import choose_head, one_of
from attn_core.ui.widgets.figures import show_figure


def show_training(study: Study, tables: SubjectTables) -> None:
    """Draw a training step by step: that of the chosen subject, or else the first of the study."""
    names = list(dict.fromkeys(subject.name for subject in study.own if subject.step is not None))
    name = tables.subject.name if tables.subject.name in names else names[0]
    heads, layers = (study.steps(name, table) for table in ("heads", "layers"))
    drift = study.steps(name, "drift") if study.has("drift") else None
    st.header("The claims step by step", anchor=False)
    with st.container(key="claims-grid"):
        _show(study, name, "claims-grid", partial(_claims, study, name), words={"across": "step"})
    left, right = st.columns(2, gap="large")
    with left:
        statistic = _layers(study, name, layers)
    with right:
        _roles(study, name, heads)
    if study.has("entropies") and len(bits := study.steps(name, "entropies")):
        st.header("Entropy and loss", anchor=False)
        st.caption("Of the predicted words, by the last layer; the loss is the cross-entropy. Grey: that of copies.")
        _show(study, name, "entropies-by-step", lambda: bits, copies=study.copies_by_step(name, "entropies"))
    show.folded("One head by step", "head-by-step", partial(_head, study, name, heads, drift, statistic))
    if drift is not None:
        show.folded("Drift of every head", "drift-of-heads", partial(_drift, study, name, drift))
    show.table(layers, "series-layers", provenance=study.provenance, fold="Numbers by step and layer")


def _show(
    study: Study,
    name: str,
    figure: str,
    table: Callable[[], pd.DataFrame],
    *statistics: str,
    copies: Copies = NO_COPIES,
    **more: Any,
) -> None:
    """Draw a figure of the catalogue for a training. table: the one that it draws. copies: that of copies, by name."""
    of = Tables(TRAINING, (), lambda _: table(), study.unit, copies=copies)
    show_figure(study, figure, of, *statistics, inputs=name, **more)


def _roles(study: Study, name: str, heads: pd.DataFrame) -> None:
    """Draw the number of heads of each role by step, beside that of the copies."""
    st.header("When do roles appear?", anchor=False)
    st.caption("A role that the copies have too needs no training. *mixed*: no property beats chance by 10% of pairs.")

    def counts() -> pd.DataFrame:
        parts = [
            role_counts(of_step["role"]).rename_axis("role").reset_index(name="heads").assign(step=step, of=of)
            for of, rows in {THIS_MODEL: heads, **study.copies_by_step(name, "heads")}.items()
            for step, of_step in rows.groupby("step")
        ]
        return pd.concat(parts, ignore_index=True)

    _show(study, name, "roles-by-step", counts)


def _claims(study: Study, name: str) -> pd.DataFrame:
    """The claims at every step and of the copies at the last, as `claims_grid` takes them."""
    steps = [study.of(name, one.step) for one in study.own if one.name == name]
    columns = {f"{one.subject.step:,}": one for one in steps} | steps[-1].copies
    cells = pd.concat(
        [
            readable_claims(one.claims).assign(subject=one.subject.label, column=column)
            for column, one in columns.items()
        ],
        ignore_index=True,
    )
    return cells.assign(how_many="", most=True, chosen=False)


def _layers(study: Study, name: str, layers: pd.DataFrame) -> Statistic:
    """Draw a statistic by step and layer, which a widget chooses. Returns it."""
    st.header("Layer by layer", anchor=False)
    labels = [statistic.label for statistic in STATISTICS if statistic.name in layers]
    statistic = BY_LABEL[one_of("Statistic", labels, "series_statistic", width=320)]
    copies = study.copies_by_step(name, "layers")
    st.caption(f"{statistic.question} A line is a layer{', grey the mean layer of a copy' if copies else ''}.")
    _show(study, name, "layers-by-step", lambda: layers, statistic.name, copies=copies)
    return statistic


def _head(study: Study, name: str, heads: pd.DataFrame, drift: pd.DataFrame | None, statistic: Statistic) -> None:
    """Draw the role, the statistic and the drift of one head by step."""
    last = heads[heads["step"] == heads["step"].max()]
    shape = int(heads["layer"].max()), int(heads["head"].max())
    head = choose_head("Head", "a", shape, partial(clearest_head, last), width=120)
    mine = head.rows_of(heads)
    table = mine[["step", "role", statistic.name, statistic.chance]]
    left, right = st.columns(2, gap="large")
    if drift is not None:
        of_head = head.rows_of(drift)
        table = table.merge(of_head[["step", "drift"]])
        with right:
            st.caption("How far the head is from what it becomes at the last step.")
            _show(study, name, "drift-of-head", lambda: of_head, words={"head": head})
    with left:
        show.table(table, "series-head", height="content", provenance={**study.provenance, "head": str(head)})


def _drift(study: Study, name: str, drift: pd.DataFrame) -> None:
    """Draw how far the heads are from what they become, by layer and as a table."""
    st.header("When do heads become what they are?", anchor=False)
    st.caption("How far the matrices of a layer's heads are from those of the last step: 0 is the same.")
    _show(study, name, "drift", lambda: drift)
    show.table(drift, "series-drift", provenance=study.provenance)
