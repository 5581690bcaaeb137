"""What the Anchor tokens page takes from a text, its facts, and the heads around one token of a text."""

import pandas as pd
import streamlit as st

from attn_core.charts.anchors import token_map
from attn_core.measures.anchors import anchor_overview, anchor_table, heads_around, occurrence_table, token_labels
from attn_core.measures.head_shares import distinct_in_model
from attn_core.measures.token_coverage import NONE, TokenCoverage
from attn_core.texts.token_names import quoted, readable
from attn_core.ui import derived
from attn_core.ui.shell.view import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.pick import head_chart


def ranked_tokens(view: View) -> tuple[pd.DataFrame, dict[int, str]]:
    """Every head's anchor and runners-up, and a label for every token id."""
    return anchor_table(view.results.coverage), token_labels(view.results.windows)


def overview(view: View, ranked: pd.DataFrame, labels: dict[int, str]) -> pd.DataFrame:
    """One row a head, with how often another head has its anchor."""
    return anchor_overview(ranked, labels, view.results.windows)


def show_facts(layers: pd.DataFrame, heads: pd.DataFrame) -> None:
    """Distinct anchors, and their coverage beside its chance level. heads: as of `overview`."""
    with show.facts():
        show.beside_chance(
            "Distinct anchors within a layer",
            f"{layers['anchor_uniqueness'].mean():.0%}",
            None,
            "Distinct anchors / heads, mean of the layers.",
        )
        show.beside_chance(
            "Mean coverage of the anchors",
            f"{heads['coverage'].mean():.0%}",
            f"chance: {heads['chance_coverage'].mean():.0%}",
            "Chance: the share of all pairs that the most common token touches.",
        )
        show.beside_chance(
            "Different anchors in the model",
            f"{distinct_in_model(heads['anchor_id'])} in {len(heads)} heads",
            _without(heads),
            "An anchor touches more of its head's pairs than a token that stands as often does by chance.",
        )


def heads_around_token(view: View, heads: pd.DataFrame, labels: dict[int, str]) -> None:
    """How much every head gathers around one token, and where it stands in the text."""
    windows = view.results.windows
    st.header("The heads around one token", anchor=False)
    token = _choose_token(heads, view.results.coverage, labels)
    touching = view.results.coverage
    around = heads_around(touching, token)
    times = int(touching.occurrences[touching.token_ids == token][0])
    often = "once" if times == 1 else f"{times} times"
    st.caption(
        f"{often.capitalize()} in the text, in {around['chance_token_coverage'].iloc[0]:.1%} of all pairs. Share of each head's "
        f"strong pairs that touch it; bold: it is the head's anchor ({(heads['anchor_id'] == token).sum()} of {len(heads)})."
    )
    title = f"How much every head gathers around {quoted(labels[token])}"
    head_chart(view.marked(token_map(around)), "token-map", title)
    places = ["window", "sentence", "context"] if len(windows) > 1 else ["sentence", "context"]
    table = occurrence_table(windows, token)
    provenance = view.provenance(token_id=token)
    show.table(
        table[places],
        "occurrences",
        provenance=provenance,
        fold=f"Where {plain(quoted(labels[token]))} stands in the text",
    )


def show_keywords(view: View) -> None:
    """The phrases that the heads gather around; they depend on text and model alone."""
    from attn_core.analysis.keywords import NO_KEYWORDS, SETTINGS  # nltk takes most of a second to import

    st.caption(
        "The phrases around whose words heads gather: by strong pairs of all heads (centred cosine, whatever the sidebar "
        "says) and by attention received in the last layer; an average word has 1 in each place, and places add up by squares. "
        "On 500 abstracts with given keywords this finds more of them than TF-IDF does (docs/results.md)."
    )
    table = derived.keywords(view.choice.key)
    if table.empty:
        st.info(NO_KEYWORDS, icon=":material/search_off:")
        return
    number = st.column_config.NumberColumn
    show.table(
        table,
        "keywords",
        columns={
            "score": number("score", format="%.2f"),
            "chance_score": number("chance", format="%.2f"),
            "start": number("first character"),
        },
        choices=SETTINGS,
    )


def _without(heads: pd.DataFrame) -> str | None:
    """How many heads have no anchor, None where all have one."""
    none = int((heads["anchor_id"] == NONE).sum())
    return f"{none} without: no token above its chance" if none else None


def _choose_token(heads: pd.DataFrame, touching: TokenCoverage, labels: dict[int, str]) -> int:
    """The id of a token, those that are the anchor of most heads first; heads: one row a head, with anchor_id."""
    leading = heads["anchor_id"].value_counts()
    counted = zip(touching.token_ids.tolist(), touching.occurrences.tolist(), strict=True)
    ordered = sorted((-leading.get(token_id, 0), -times, token_id) for token_id, times in counted)
    ids: dict[str, int] = {}
    for *_, token_id in ordered:
        ids.setdefault(readable(labels[token_id]), token_id)
    options = list(ids)
    return ids[one_of("Token (the anchor of most heads first)", options, "token")]
