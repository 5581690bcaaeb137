"""Are texts cut at worse places without the heads that are off? Pk on gold texts, beside random heads of their layers."""

from functools import partial
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.errors import InputError
from attn_core.interventions.random_sets import Set, sets_alike
from attn_core.models.files import ModelSpec
from attn_core.models.intervention import Intervention
from attn_core.numerics.poisson_bootstrap import LEAST
from attn_core.segmentation.gold_benchmark import gold_in
from attn_core.texts.documents import Document
from attn_core.ui.caches import removals
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.frame import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.fact import beside_chance, facts
from attn_core.ui.widgets.head_names import named

FILES = "gold_files"  # in the session: bytes by name, since an upload is forgotten when the page changes
RANDOM = 5  # random sets: each reads all texts anew
NUMBERS = {"given": "even cuts", "found": "no cut at all"}  # what the number of segments is, and what chance is then


class Asked(NamedTuple):
    """What decides the numbers. files: sha256 of the uploads."""

    spec: ModelSpec
    files: str
    intervention: Intervention


def show_segments(view: TextView, removed: Removed) -> None:
    """The upload, the button that begins, and how well the texts are cut."""
    st.file_uploader(
        "Texts with gold boundaries: .txt files with a line of ========== between segments", type=["txt"], key="gold_upload",
        on_change=_keep, accept_multiple_files=True, max_upload_size=5,
    )  # fmt: skip
    if FILES not in st.session_state:
        st.caption("They stay in this session and are kept nowhere.")
        return
    contents: dict[str, bytes] = st.session_state[FILES]
    try:
        texts = gold_in(contents)
    except InputError as error:
        st.warning(plain(error), icon=":material/info:")
        return
    st.caption(f"{len(texts):,} of {len(contents):,} files have gold boundaries: {plain(', '.join(texts))[:300]}.")
    sets = sets_alike(removed.heads, view.results.shape, draws=RANDOM) if removed.heads else []
    every: list[Set] = [(), removed.heads, *sets] if removed.heads else [()]
    asked = Asked(removed.key.spec, _digest(contents), removed.intervention)
    work = in_thread.known("gold", asked)
    if work is None or work.cancelled:
        st.button(
            "Cut with and without the heads" if removed.heads else "Cut",
            icon=":material/content_cut:",
            key="begin-gold",
            help=f"Every text is read as a whole {len(every)} times, in the background.",
            on_click=partial(_begin, asked, list(texts.values()), every, removed.how),
        )
        return
    in_thread.watched(work, partial(_draw, view, removed, len(every)))


def pk_table(parts: list[tuple[np.ndarray, np.ndarray]], removals_each: int) -> pd.DataFrame:
    """Two rows, as `interventions.tables.task_row`: Pk with the number of segments given and found.

    parts: (Pk (2,), by chance (2,)) of each text under each of so many removals, text by text.
    """
    from attn_core.interventions.tables import task_row

    pk, chance = (np.array([part[at] for part in parts]).reshape(-1, removals_each, 2) for at in (0, 1))
    both = pk if removals_each > 1 else pk[:, [0, 0]]  # with all heads on nothing changes
    return pd.DataFrame(
        [
            task_row(f"Pk of gold texts, number of segments {number}", both[:, :, at], float(chance[:, 0, at].mean()))
            for at, number in enumerate(NUMBERS)
        ]
    )


def told(row: dict) -> str:
    """What the numbers say, with their error: of Pk, less is better."""
    which = "worse" if row["low"] > 0 else "better" if row["high"] < 0 else "no clear change"
    if row["texts"] < LEAST:
        which = "too few texts to tell"
    over = "" if np.isnan(row["low"]) else f", 95 % interval over the texts {row['low']:+.3f} to {row['high']:+.3f}"
    texts = "one text" if row["texts"] == 1 else f"{row['texts']:,} texts"
    said = (
        f"{row['quantity']}, {texts}: {row['without']:.3f} without the heads, {row['whole']:.3f} with all: **{which}** "
        f"({row['effect']:+.3f}{over})."
    )
    if not row["random_sets"]:
        return f"{said} Whole layers are off: no other heads of the same layers could be the chance level."
    return (
        f"{said} Without as many random heads of the same layers, {row['random_sets']} sets, the change is "
        f"{row['chance_low']:+.3f} to {row['chance_high']:+.3f}."
    )


def _keep() -> None:
    """Files that are taken back leave those before in place."""
    if uploads := st.session_state["gold_upload"]:
        st.session_state[FILES] = {one.name: one.getvalue() for one in uploads}


def _digest(contents: dict[str, bytes]) -> str:
    return sha256(
        "".join(f"{name}\0{sha256(data).hexdigest()}\0" for name, data in contents.items()).encode()
    ).hexdigest()


def _begin(asked: Asked, texts: list[Document], every: list[Set], how: Intervention) -> None:
    steps = [partial(removals.pk, asked.spec, text, heads, how) for text in texts for heads in every]
    in_thread.begin("gold", asked, lambda: steps)


def _draw(view: TextView, removed: Removed, removals_each: int, work: in_thread.Work) -> None:
    if work.complete:
        table = pk_table(work.parts, removals_each)
        rows = table.to_dict("records")
        with facts():
            for (number, chance), row in zip(NUMBERS.items(), rows, strict=True):
                beside_chance(f"Pk, number {number}", f"{row['whole']:.3f}", f"{chance}: {row['chance_whole']:.3f}")
                if removed.heads:
                    beside_chance(f"without {named(removed.heads)}", f"{row['without']:.3f}", _chance(row))
        if removed.heads:
            for row in rows:
                st.caption(told(row))
        else:
            table = table[["quantity", "texts", "whole", "chance_whole"]]
        provenance = view.provenance(gold=", ".join(st.session_state[FILES]), intervention=str(removed.intervention))
        show.table(table, "segments-without", provenance)
    in_thread.progress(work, "Readings of a text", "gold")


def _chance(row: dict) -> str:
    if not row["random_sets"]:
        return "no other heads"
    low, high = (row["whole"] + row[name] for name in ("chance_low", "chance_high"))
    return f"random heads: {low:.3f} to {high:.3f}"
