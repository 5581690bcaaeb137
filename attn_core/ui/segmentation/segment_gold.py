"""Every segmentation method against the gold boundaries of the text, where it has them."""

from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.segmentation import METHODS
from attn_core.texts.documents import Document
from attn_core.ui.caches import segments
from attn_core.ui.segmentation.segment_heads import heads_in_words, own_heads
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.sections import section


def place_for_scores(document: Document) -> DeltaGenerator | None:
    """The heading over the scores, and where they are to stand; None, and how to get some, for a text without gold."""
    if document.gold is None:
        st.info(
            "This text has no gold boundaries. Put a line of ten equals signs between its segments, and every method is scored "
            "against them; the samples *Three topics* and *Six topics of uneven length* have them. What stands between may be "
            "paragraphs, or one sentence a line: a line is taken for a sentence where two of three sentences end with a line.",
            icon=":material/flag:",
        )
        return None
    section("Against the gold boundaries")
    st.caption(
        "Pk and WindowDiff: share of sliding windows that disagree, 0 is best; even and random cuts show the chance level. F1: "
        "boundaries at their very place, 1 is best. *Found*: the method finds the number of segments; *given*: it is told."
    )
    return st.container()


def show_scores(view: TextView, place: DeltaGenerator) -> None:
    """The scores of all methods. Called last, since every method reads the text in its own way for it."""
    with place:
        scores, labels = _scores(view), _labels()
        provenance = view.provenance(heads=heads_in_words())
        show.table(scores, "segmentation-scores", provenance, columns=labels, column_order=["method", *labels][:-1])


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
