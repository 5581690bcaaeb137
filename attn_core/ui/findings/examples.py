"""Pairs that a study kept, to read: with where they stand, and a link that opens the text there on Heads."""

from collections.abc import Sequence
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from attn_core.findings.examples import examples_of_claim
from attn_core.findings.verdicts import Finding
from attn_core.head import Head
from attn_core.measures.examples import Piece
from attn_core.models.controls import control_of
from attn_core.models.files import BERT, MINILM
from attn_core.study.examples import PIECES
from attn_core.study.in_words import MEASURES
from attn_core.study.opened import Study
from attn_core.study.reread import spec_of
from attn_core.ui.runs.kinds import OF_STUDY, study_name
from attn_core.ui.widgets import show
from attn_core.ui.widgets.downloads import CONTROLS
from attn_core.ui.widgets.escape import marked, plain

FOUND = 8  # pairs on the screen where a token is looked for; the table has all
STRONGEST, TENTHS = 2, (5, 10)  # where none is: how many of the strongest, and of which tenths one
HEADS = "Heads"  # what Streamlit makes of the page's file name, beside the page that is shown


def show_examples(study: Study, heads: Sequence[Head], place: str) -> None:
    """The pairs that a study kept of some heads, searchable by token. place: keeps the widgets of two places apart."""
    names = {head.row for head in heads}
    of_heads = [row in names for row in zip(study.examples["layer"], study.examples["head"], strict=True)]
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        wanted = st.text_input(
            "Find a token", key=f"find-{place}", bind="query-params", placeholder="sea", width=260
        ).strip()
        everywhere = st.toggle("In all heads", key=f"everywhere-{place}", bind="query-params")
    rows = study.examples if everywhere else study.examples[of_heads]
    if wanted:
        rows = rows[_has(rows, wanted)]
    if rows.empty:
        st.caption(f"None of the kept pairs has a token with “{plain(wanted)}”: a study keeps 20 pairs a head.")
        return
    shown = rows.head(FOUND) if wanted else _at_a_glance(rows)
    name = study_name(study.folder)
    columns = st.columns(2, gap="large")
    for at, (_, row) in enumerate(shown.iterrows()):
        with columns[at % 2]:
            example(row, f"{place}-{at}", _address(study, row, name))
    st.caption(
        f"{len(shown)} of {len(rows):,} pairs. Kept are a head's strongest, at most two of a text, and one of every tenth of its "
        "strong pairs, from the strongest tenth down, drawn at random from the whole corpus."
    )
    provenance = {**study.provenance, "token": wanted, "all_heads": everywhere}
    show.folded_table("All of them", rows.drop(columns="key"), f"examples-{place}", provenance)


def _at_a_glance(rows: pd.DataFrame) -> pd.DataFrame:
    """A few of the strongest pairs, and one of the middle and of the weakest tenth of the strong ones."""
    return pd.concat(
        [rows[rows["tenth"] == 0].head(STRONGEST), *(rows[rows["tenth"] == one].head(1) for one in TENTHS)]
    )


def show_claim(study: Study, finding: Finding) -> None:
    """A few pairs in which a claim can be read, one click away."""
    name = study_name(study.folder)
    with st.popover("Read it in a text", icon=":material/menu_book:", type="tertiary"):
        for at, row in examples_of_claim(finding.claim, study.examples, study.heads, study.layers).iterrows():
            example(row, f"{finding.row}-{at}", _address(study, row, name))


def example(row: pd.Series, key: str, address: str | None = None) -> None:
    """One pair in its text, what it is, and the way to it, where there is one."""
    with st.container(border=True, key=f"example-{key}"):
        st.markdown(marked(pieces_of(row)))
        which = "among the strongest" if row["tenth"] == 0 else f"in tenth {row['tenth']} of 10 of its strong pairs"
        st.caption(
            f"**{Head.of_row(row['layer'], row['head'])}**, {which} · {row['kind']}, {row['distance']:,} tokens apart · "
            f"{plain(row['name'])}, window {row['window'] + 1}"
        )
        if address is not None:
            st.link_button("Open the text there", address, type="tertiary", icon=":material/open_in_new:")


def _address(study: Study, row: pd.Series, name: str | None) -> str | None:
    """Where a kept pair is seen. name: of the study where a text of it can be opened."""
    return None if name is None else f"{HEADS}?{urlencode(link(study, row, name))}"


def pieces_of(row: pd.Series) -> list[Piece]:
    """A kept pair as pieces of text, see `pair_in_text`."""
    return [(row[piece], piece.endswith("_text")) for piece in PIECES]


def link(study: Study, row: pd.Series, name: str) -> dict[str, str]:
    """The address of Heads on which a kept pair is seen: text, window, model and settings of the study, head, pair."""
    settings = study.manifest["settings"]
    label = next(label for label, measure in MEASURES.items() if measure == settings["measure"])
    spec = spec_of(study.manifest)
    control = control_of(spec, settings["layout"])
    address = {
        "text": OF_STUDY,
        "of_study": name,
        "study_text": row["text"] + 1,
        "study_part": row["part"] + 1,
        "window": row["window"] + 1,
        "model": spec.name,
        "layout": "plain" if control == "shuffled" else settings["layout"],
        "unit": settings["unit"],
        "measure": label,
        "q": f"{100 * settings['share']:.10g}",
        "special": str(settings["with_special"]).lower(),
        "a": Head.of_row(row["layer"], row["head"]),
        "pair": f"{row['first']}-{row['second']}",
    }
    if spec.revision and spec.name not in (MINILM, BERT):
        address["revision"] = spec.revision
    if spec.stack != "encoder":
        address["stack"] = spec.stack
    if spec.windows:
        address["window_tokens"] = spec.window_tokens
    if control:
        address["control"] = next(label for label, meant in CONTROLS.items() if meant == control)
    return {key: str(value) for key, value in address.items()}


def _has(rows: pd.DataFrame, wanted: str) -> pd.Series:
    """Which pairs have a token with these letters, whatever their case."""
    ends = [
        rows[column].str.casefold().str.contains(wanted.casefold(), regex=False)
        for column in ("first_text", "second_text")
    ]
    return ends[0] | ends[1]
