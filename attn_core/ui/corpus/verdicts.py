"""The claims in several subjects of a study: their grid, and one claim under every setting."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.charts.style import SELECTION
from attn_core.claims.claim import BY_EFFECT, CLAIMS, Claim
from attn_core.claims.table import HEADINGS, readable_claims
from attn_core.io.paths import last_part
from attn_core.models.baselines import CONTROLS
from attn_core.similarity.strong_pairs import MEASURES
from attn_core.study.descriptions import differing
from attn_core.study.opened import Study, SubjectTables
from attn_core.study.settings import PAPERS, distinct, moved_by
from attn_core.study.subjects import Subject
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import chosen_of, one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.figures import show_figure

CURVE = "one-claim"


def show_verdicts(study: Study, tables: SubjectTables) -> None:
    """Draw the grid of claims and subjects and, where every setting was counted, the curve of one claim."""
    every_setting = bool(study.manifest["settings"]["every_setting"])
    names = {claim.name: claim for claim in CLAIMS}
    claim = names[chosen_of("claim", list(names))]

    def cells() -> pd.DataFrame:
        cells = pd.concat([_cells(study, one) for one in _columns(study, tables.subject)], ignore_index=True)
        chosen = every_setting & (cells["effect"] == claim.effect) & (cells["subject"] == tables.subject.label)
        return cells.assign(chosen=chosen)

    settings = " The last line counts the settings that say the same. **Click a cell to see them all.**"
    st.caption(f"The verdict on each claim, and its effect.{settings if every_setting else ''}")
    with st.container(key="claims-grid"):
        show_figure(
            study, "claims-grid", cells, inputs=(tables.subject, claim.effect),
            on_select=_clicked if every_setting else None, words={"across": "subject"},
        )  # fmt: skip
    if every_setting:
        _show_settings(tables, claim)
    every = partial(show_numbers, study.claims, "claims", study.provenance, ("subject", "step"))
    show.folded("Every verdict", "claims", every)


def show_numbers(claims: pd.DataFrame, name: str, provenance: Mapping[str, Any], beside: Sequence[str] = ()) -> None:
    """Draw a table of claims in words and formatted numbers. beside: its first columns."""
    table = readable_claims(claims)
    of_claim = ("name", "abstract", "thresholds") if table["effect"].nunique() == 1 else ()
    shown = [
        one for one in (*beside, *HEADINGS) if one not in of_claim and (table[one].notna() & (table[one] != "")).any()
    ]
    columns = {one: st.column_config.TextColumn(words) for one, words in HEADINGS.items()}
    columns |= {"share": show.share_column("strongest"), "special": st.column_config.Column("special tokens")}
    show.table(table, name, columns, column_order=shown, provenance=provenance)


def _columns(study: Study, subject: Subject) -> list[Subject]:
    """The subjects of the grid: each model (of a training its last step), the chosen one, and its baselines."""
    models = list({one.name: one for one in study.own}.values())
    chosen = next((one for one in models if one.name in (subject.name, subject.of)), models[0])
    columns = [*models, *(one for one in study.subjects if one.serves(chosen))]
    return columns if subject in columns else [subject, *columns]


def _column_name(subject: Subject) -> str:
    """The heading of a subject's column; the chart breaks the line at ", ". Baselines are those of the chosen model."""
    if subject.baseline is None or not subject.of:
        return last_part(subject.label)
    seed = subject.spec.copy[1] if subject.spec.copy else subject.seed
    return ", ".join(f"{CONTROLS[subject.baseline]} {seed + 1}".split())


def _cells(study: Study, subject: Subject) -> pd.DataFrame:
    """The claims of a subject, as `claims_grid` takes them."""
    cells = readable_claims(study.of(subject.name, subject.step).claims)
    cells = cells.assign(subject=subject.label, column=_column_name(subject), how_many="", most=True)
    if study.manifest["settings"]["every_setting"]:
        every = _of_measures(study.of(subject.name, subject.step))
        for at, row in cells.iterrows():
            said = distinct(every, row["effect"])["verdict"]
            same = int((said == row["verdict"]).sum())
            cells.loc[at, "how_many"] = f"{same} of {len(said)}"
            cells.loc[at, "most"] = 2 * same >= len(said)
    return cells


def _of_measures(tables: SubjectTables, measures: Sequence[str] = (PAPERS,)) -> pd.DataFrame:
    """The claims of a subject under every setting of these measures."""
    rows = tables.claims_by_setting
    return rows[rows["measure"].isin(measures)]


def _clicked(figure: str) -> None:
    """Choose the claim and the subject of the cell that was clicked in the grid."""
    if cells := st.session_state[f"chart-{figure}"]["selection"][SELECTION]:
        st.session_state[f"open-{CURVE}"] = True
        st.session_state["claim"] = BY_EFFECT[cells[0]["effect"]].name
        st.session_state["subject"] = cells[0]["subject"]


def _show_settings(tables: SubjectTables, claim: Claim) -> None:
    """Draw the folds of one claim under every setting: its curve, its curve with other measures, and the table."""
    rows, every = (distinct(_of_measures(tables, measures), claim.effect) for measures in ((PAPERS,), MEASURES))
    show.folded(f"{claim.name} under every setting", CURVE, partial(_curve, tables, rows, claim))
    if "measure" in moved_by(claim.effect):
        others = partial(_drawn, tables, every, claim, "other-measures")
        show.folded("Other measures: cosine and centred cosine", "other-measures", others)
    provenance = {**tables.provenance, "effect": claim.effect}
    numbers = partial(show_numbers, every, "settings", provenance, tuple(differing(every, claim.effect)))
    show.folded("The settings in numbers", "settings", numbers)


def _curve(tables: SubjectTables, rows: pd.DataFrame, claim: Claim) -> None:
    """Draw the widget that chooses a claim, and the curve of the chosen one."""
    one_of("Claim", [one.name for one in CLAIMS], "claim", width=320)
    st.caption(f"{claim.claim}: {plain(claim.quotation)}. A column is a setting: its marks below say which.")
    _drawn(tables, rows, claim, "specification")


def _drawn(tables: SubjectTables, rows: pd.DataFrame, claim: Claim, figure: str) -> None:
    """Draw a curve; a sentence in its place where no setting gives a number."""
    if rows["value"].isna().all():
        st.info("No setting gives a number here.", icon=":material/info:")
    else:
        show_figure(tables.study, figure, lambda: rows, inputs=tables.subject, claim=claim)
