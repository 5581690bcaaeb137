"""The texts of a study: what each alone says of the claims, which are far from the others, and which were left out."""

import pandas as pd
import streamlit as st

from attn_core.claims.claim import CLAIMS
from attn_core.study.descriptions import describe_study
from attn_core.study.opened import Study, SubjectTables
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain

SUBJECTS = ("subject", "step", "texts", "windows", "bad_texts", "short_windows", "problem", "unlike", "layers", "heads",
            "layout", "seed", "model", "revision")  # fmt: skip
FAR = 1.5  # interquartile ranges beyond the quartiles (Tukey)
EFFECTS = [claim.effect for claim in CLAIMS]


def show_texts(study: Study, tables: SubjectTables | None) -> None:
    """Draw every text with its effects, and which subjects read how many. tables: of the chosen subject."""
    name, *about = map(plain, describe_study(study))
    st.markdown(" · ".join([f"**{name}**", *about]))
    if tables:
        _show_effects(tables)
    else:
        show.table(study.table("bad_texts"), "study-bad-texts", provenance=study.provenance)
    subjects = study.table("subjects")
    order = [name for name in SUBJECTS if subjects[name].notna().any()]
    show.table(subjects, "study-subjects", provenance=study.provenance, column_order=order, fold="Subjects")


def _show_effects(tables: SubjectTables) -> None:
    """Draw the effects of every text of a subject."""
    st.header("The effects in each text alone", anchor=False)
    texts = with_outliers(tables.table("texts"))
    far, left = (int((texts[name].fillna("") != "").sum()) for name in ("outliers", "problem"))
    lie = "1 text lies" if far == 1 else f"{far:,} texts lie"
    st.caption(
        f"{lie} far from the others in an effect, by more than {FAR} interquartile ranges: *outliers* names it. "
        f"{f'{left:,} of {len(texts):,} texts count for no verdict. ' if left else ''}An empty cell: it cannot answer."
    )
    columns = {
        claim.effect: st.column_config.NumberColumn(claim.topic, help=claim.description, format="%.2f")
        if claim.unit == "times"
        else show.share_column(claim.topic, claim.description)
        for claim in CLAIMS
    }
    order = ["name", "outliers", *(["problem"] if left else []), "language", "windows", "tokens", *EFFECTS]
    show.table(texts, "study-texts", columns, provenance=tables.provenance, column_order=order)


def with_outliers(texts: pd.DataFrame) -> pd.DataFrame:
    """The table texts with a column outliers: the effects in which a text is far above (high) or below (low) others."""
    effects = texts[EFFECTS].astype(float).round(9)  # so that texts of one value are alike
    low, high = effects.quantile(0.25), effects.quantile(0.75)
    reach = FAR * (high - low)
    beyond = {"high": effects > high + reach, "low": effects < low - reach}
    said = [
        ", ".join(f"{one.topic} ({way})" for one in CLAIMS for way, far in beyond.items() if far.loc[at, one.effect])
        for at in texts.index
    ]
    return texts.assign(outliers=said)
