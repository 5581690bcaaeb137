"""Every segmentation method against the gold boundaries of the text, where it has them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from attn_core.segmentation import METHODS, Method
from attn_core.texts.documents import Document
from attn_core.ui.caches import segments
from attn_core.ui.segmentation.segment_heads import heads_in_words, own_heads
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show


def show_scores(view: TextView, document: Document, chosen: Sequence[Method]) -> None:
    """Unfolds to the scores of all methods, and where those that were chosen come from; how to get some, without gold."""
    if document.gold is None:
        st.info(
            "This text has no gold boundaries. Put a line of ten equals signs between its segments, and every method is scored "
            "against them. What stands between may be paragraphs, or one sentence a line.",
            icon=":material/flag:",
        )
    label = "Every method against the gold boundaries" if document.gold else "Where the methods come from"
    show.folded(label, "gold-scores", partial(_draw, view, document, chosen))


def _draw(view: TextView, document: Document, chosen: Sequence[Method]) -> None:
    for method in dict.fromkeys(chosen):
        figures = " · ".join(f"{each.kind} {each.given:.2f}, {each.found:.2f}" for each in method.measured)
        pk = f" Mean Pk of this method with MiniLM, number given and found: {figures}." if figures else ""
        st.caption(f"**{method.title}**: {method.source}.{pk}")
    if document.gold is None:
        return
    st.caption(
        "Pk and WindowDiff: share of sliding windows that disagree, 0 is best, random cuts get 0.5; even and random cuts of this "
        "text stand below. F1: boundaries at their very place, 1 is best. *Found*: the method finds the number of segments; "
        "*given*: it is told."
    )
    labels, provenance = _labels(), view.provenance(heads=heads_in_words())
    show.table(_scores(view), "segmentation-scores", provenance, columns=labels, column_order=["method", *labels][:-1])


def _scores(view: TextView) -> pd.DataFrame:
    """Every method against the gold boundaries, with the number of segments found and given.

    Columns method, then number, pk, windowdiff and f1, each ending in _found and in _given.
    """
    choice = view.choice
    scored = segments.gold_scores(choice.key.whole, own_heads(view))
    wide = scored.rename(columns={"segments": "number"}).set_index("method")
    ways = [
        wide[wide["number_given"] == given][["number", "pk", "windowdiff", "f1"]].add_suffix(f"_{way}")
        for way, given in (("found", False), ("given", True))
    ]
    titles = {method.name: method.title for method in METHODS}
    return pd.concat(ways, axis=1).reset_index().assign(method=lambda table: table["method"].map(titles))


def _labels() -> dict[str, Any]:
    """Streamlit's column settings for `_scores`, in the order of the screen: what a narrow one shows comes first."""
    labels = {"pk": "Pk", "windowdiff": "WindowDiff", "f1": "F1", "number": "segments"}
    return {
        f"{name}_{way}": st.column_config.NumberColumn(f"{label}, {way}", format="%d" if name == "number" else "%.2f")
        for name, label in labels.items()
        for way in ("found", "given")
    }
