"""The claims in several subjects of a study: their grid, and one claim under every setting."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from attn_core.charts.claims import in_words
from attn_core.charts.claims_grid import claims_grid
from attn_core.charts.marks import SELECTION
from attn_core.charts.specification_curve import specification_curve
from attn_core.claims.claim import BY_EFFECT, CLAIMS, Claim
from attn_core.io.paths import last_part
from attn_core.models.controls import CONTROLS
from attn_core.similarity.strong_pairs import MEASURES
from attn_core.study.in_words import differing
from attn_core.study.opened import Study
from attn_core.study.subjects import Subject
from attn_core.study.variants import PAPERS, distinct, moved_by
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import keep_among, one_of
from attn_core.ui.widgets.escape import plain

GRID = "claims-grid"


def show_findings(study: Study) -> None:
    """The grid of claims and subjects, and the specification curve of a claim where every setting was counted."""
    subjects = {one.label: one for one in _columns(study)}
    names = {claim.name: claim for claim in CLAIMS}
    keep_among("claim", list(names), CLAIMS[0].name)
    keep_among("of_subject", list(subjects), next(iter(subjects)))
    every_setting = bool(study.manifest["settings"]["every_setting"])
    st.caption(
        "The verdict on each claim and its effect, with its 95% interval, under the settings of the study."
        + (
            " Below them: how many settings of the scalar product say the same. A click shows all."
            if every_setting
            else ""
        )
    )
    place = st.container()
    claim, subject = CLAIMS[0], next(iter(subjects.values()))
    if every_setting:
        st.header("One claim under every setting", anchor=False)
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            claim = names[one_of("Claim", list(names), "claim", width=320)]
            subject = subjects[one_of("Subject", list(subjects), "of_subject", width=420)]
        _curve(study, claim, subject)
    cells = pd.concat([_cells(study, one) for one in subjects.values()], ignore_index=True)
    chosen = (cells["effect"] == claim.effect) & (cells["subject"] == subject.label) & every_setting
    with place:
        on_select = _clicked if every_setting else None
        show.chart(claims_grid(cells.assign(chosen=chosen)), GRID, "Which claims hold in which subject", on_select)
    show.table(study.claims, "claims", provenance=study.provenance, fold="Every verdict")


def _columns(study: Study) -> list[Subject]:
    """Every model, or the last step of its training; its baselines where it is the only one, or where they are asked for."""
    own = list({subject.name: subject for subject in study.own}.values())
    baselines = [one for one in study.subjects if any(one.serves(subject) for subject in own)]
    if baselines and (len(own) == 1 or st.toggle("Their copies and shuffled text", key="beside", bind="query-params")):
        return [*own, *baselines]
    return own


def column_name(subject: Subject) -> str:
    """A subject in the words of a narrow column, in lines that ", " parts."""
    if subject.baseline is None or not subject.of:
        return last_part(subject.label)
    seed = f" {subject.spec.copy[1] + 1}" if subject.spec.copy else ""
    return f"{last_part(subject.of)}, {CONTROLS[subject.baseline]}{seed}"


def _cells(study: Study, subject: Subject) -> pd.DataFrame:
    """The cells of a subject: see `claims_grid`."""
    cells = in_words(study.of(subject.name, subject.step).claims)
    cells = cells.assign(subject=subject.label, column=column_name(subject), how_many="", most=True)
    if study.manifest["settings"]["every_setting"]:
        every = _of_subject(study, subject)
        for at, row in cells.iterrows():
            said = distinct(every, row["effect"])["verdict"]
            same = int((said == row["verdict"]).sum())
            cells.loc[at, "how_many"] = f"{same} of {len(said)} settings"
            cells.loc[at, "most"] = 2 * same >= len(said)
    return cells


def _of_subject(study: Study, subject: Subject, measures: Sequence[str] = (PAPERS,)) -> pd.DataFrame:
    """The claims of a subject under every setting of some measures."""
    rows = study.of(subject.name, subject.step).claims_by_setting
    return rows[rows["measure"].isin(measures)]


def _clicked() -> None:
    """A click in the grid chooses claim and subject."""
    if cells := st.session_state[f"chart-{GRID}"]["selection"][SELECTION]:
        st.session_state["claim"] = BY_EFFECT[cells[0]["effect"]].name
        st.session_state["of_subject"] = cells[0]["subject"]


def _curve(study: Study, claim: Claim, subject: Subject) -> None:
    """A claim in a subject under every setting, and, folded, under other measures too."""
    st.markdown(f":violet-badge[{claim.claim}] :gray[The abstract: {plain(claim.abstract)}.]")
    rows = distinct(_of_subject(study, subject), claim.effect)
    title = f"{claim.name} in {last_part(subject.label)} under every setting"
    if not _drawn(rows, claim, "curve", title):
        st.info("No setting gives a number here.", icon=":material/info:")
        return
    counts = rows["verdict"].value_counts()
    said = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    st.markdown(f"Of {len(rows)} settings of the scalar product: {said}.")
    every = distinct(_of_subject(study, subject, MEASURES), claim.effect)
    if "measure" in moved_by(claim.effect):

        def others() -> None:
            _drawn(every, claim, "other-measures", f"{title}, and other measures")

        show.folded("Other measures: cosine and centred cosine", "other-measures", others)
    provenance = {**study.provenance, "subject": subject.label, "effect": claim.effect}
    show.table(every, "settings", provenance=provenance, fold="The settings in numbers")


def _drawn(rows: pd.DataFrame, claim: Claim, name: str, title: str) -> bool:
    """Draws the curve; returns whether there is a number to draw."""
    if rows["value"].isna().all():
        return False
    show.chart(specification_curve(rows, differing(rows, claim.effect), claim), f"{name}-{claim.effect}", title)
    return True
