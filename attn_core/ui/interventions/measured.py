"""Importance of every head of a window, measured one by one."""

import streamlit as st

from attn_core.head import every_head
from attn_core.numerics.ranks import correlation, ranks
from attn_core.ui import removals
from attn_core.ui.interventions.removed_heads import Removed
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show


def show_importance(view: View, removed: Removed) -> None:
    """The effect of removing each head alone, beside its estimate."""
    alone = [(head,) for head in every_head(*removed.shape)]
    measured = removals.effects(removed.key, alone, removed.how, "Removing every head, one by one")
    estimated = removals.estimate(removed.key, removed.how).ravel()
    agreement = correlation(ranks(estimated), ranks(measured))
    st.caption(f"The estimate has a rank correlation of {agreement:z.2f} with what is measured.")
    heads = view.results.statistics[["layer", "head", "role", "anchor"]].assign(
        measured_importance=measured, estimated_importance=estimated
    )
    heads = heads.sort_values("measured_importance", ascending=False, kind="stable", ignore_index=True)
    columns = {f"{kind}_importance": show.share_column(kind) for kind in ("measured", "estimated")}
    show.table(heads, "importance", columns, choices={"replaced_by": removed.how})
