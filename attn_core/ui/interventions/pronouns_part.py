"""Are fewer pronouns told rightly without the heads that are off? On a file of GAP, beside random heads of their layers."""

from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.errors import InputError, TextError
from attn_core.interventions.random_sets import Set, sets_alike
from attn_core.models.files import ModelSpec
from attn_core.models.intervention import Intervention
from attn_core.numerics.poisson_bootstrap import LEAST
from attn_core.ui.caches import removals
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.frame import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.fact import beside_chance, facts
from attn_core.ui.widgets.head_names import named

if TYPE_CHECKING:
    from attn_core.patterns.annotated import AnnotatedText

FILE = "gap_file"  # in the session: name and bytes, since an upload is forgotten when the page changes
RANDOM = 5  # random sets: each reads all snippets anew
CHANCE = 0.5  # one of two names


class Asked(NamedTuple):
    """What decides the answers. file: sha256 of the upload."""

    spec: ModelSpec
    file: str
    intervention: Intervention


def show_pronouns(view: TextView, removed: Removed) -> None:
    """The upload, the button that begins, and how many pronouns are told rightly."""
    st.file_uploader(
        "A .tsv file as that of GAP (Webster et al. 2018)",
        type=["tsv"],
        key="gap_upload",
        on_change=_keep,
        max_upload_size=5,
    )
    if FILE not in st.session_state:
        st.caption("It stays in this session and is kept nowhere.")
        return
    name, data = st.session_state[FILE]
    try:
        snippets = _snippets(name, data)
    except InputError as error:
        st.warning(plain(error), icon=":material/info:")
        return
    st.caption(f"**{plain(name)}**: {len(snippets):,} snippets whose pronoun means one of two names.")
    sets = sets_alike(removed.heads, view.results.shape, draws=RANDOM) if removed.heads else []
    asked = Asked(removed.key.spec, sha256(data).hexdigest(), removed.intervention)
    work = in_thread.known("gap", asked)
    if work is None or work.cancelled:
        every: list[Set] = [(), removed.heads, *sets] if removed.heads else [()]
        st.button(
            "Ask with and without the heads" if removed.heads else "Ask",
            icon=":material/person_search:",
            key="begin-gap",
            help=f"Every snippet is read {len(every)} times, in the background.",
            on_click=partial(_begin, asked, snippets, every, removed.how),
        )
        return
    in_thread.watched(work, partial(_draw, view, removed, name))


def _snippets(name: str, data: bytes) -> "tuple[AnnotatedText, ...]":
    from attn_core.interventions.tasks import choices
    from attn_core.patterns.gap import read_gap
    from attn_core.texts.documents import decode

    return choices(read_gap(decode(data)[0], name), name)


def _keep() -> None:
    """A file that is taken back leaves the one before in place."""
    if upload := st.session_state["gap_upload"]:
        st.session_state[FILE] = upload.name, upload.getvalue()


def _begin(asked: Asked, snippets: "tuple[AnnotatedText, ...]", every: list[Set], how: Intervention) -> None:
    def answer(snippet: "AnnotatedText") -> np.ndarray | None:
        try:
            return removals.margins(asked.spec, snippet, every, how)
        except TextError:  # no window of this model has all three words
            return None

    in_thread.begin("gap", asked, lambda: [partial(answer, snippet) for snippet in snippets])


def _draw(view: TextView, removed: Removed, name: str, work: in_thread.Work) -> None:
    if work.complete:
        answered = [margins for margins in work.parts if margins is not None]
        try:
            table = accuracy_table(answered)
        except InputError as error:
            st.caption(f":material/info: {plain(error)}")
            return
        (row,) = table.to_dict("records")
        with facts():
            beside_chance(
                "Told rightly with all heads", f"{row['whole']:.1%}", f"chance: {CHANCE:.0%}, one of two names"
            )
            if removed.heads:
                chance = _chance(row) if row["random_sets"] else "no other heads"
                beside_chance(f"Told rightly without {named(removed.heads)}", f"{row['without']:.1%}", chance)
        if removed.heads:
            st.caption(told(row))
        else:
            table = table[["quantity", "texts", "whole", "chance_whole"]]
        shares = [column for column in table if column not in ("quantity", "texts", "random_sets")]
        provenance = view.provenance(gap=name, intervention=str(removed.intervention))
        show.table(table, "pronouns", provenance, columns=show.shares(*shares))
    in_thread.progress(work, "Snippets", "gap")


def accuracy_table(answered: list[np.ndarray]) -> pd.DataFrame:
    """One row, as `interventions.tables.task_row`. answered: margins (removal, map, layer, head) of each snippet.

    Raises InputError for fewer than four snippets.
    """
    from attn_core.interventions.tables import task_row
    from attn_core.interventions.tasks import named_rightly

    if len(answered) < LEAST:
        raise InputError(f"Fewer than {LEAST} snippets have their pronoun and both names in one window of this model.")
    texts = np.arange(len(answered))
    right = np.stack([named_rightly(np.stack(one), texts) for one in zip(*answered, strict=True)], axis=1)
    both = right if right.shape[1] > 1 else right[:, [0, 0]]  # with all heads on nothing changes
    return pd.DataFrame([task_row("pronouns whose name is found (GAP)", both, CHANCE)])


def told(row: dict) -> str:
    """What the numbers say, with their error."""
    change, low, high = (100 * row[name] for name in ("effect", "low", "high"))
    which = "fewer" if high < 0 else "more" if low > 0 else "no clear change"
    said = (
        f"Of {row['texts']:,} pronouns {row['without']:.1%} are told rightly, with all heads {row['whole']:.1%}: **{which}** "
        f"({change:+.1f} points{'' if np.isnan(low) else f', 95 % interval over the snippets {low:+.1f} to {high:+.1f}'})."
    )
    if not row["random_sets"]:
        return f"{said} Whole layers are off: no other heads of the same layers could be the chance level."
    return (
        f"{said} Without as many random heads of the same layers, {row['random_sets']} sets, the change is "
        f"{100 * row['chance_low']:+.1f} to {100 * row['chance_high']:+.1f} points."
    )


def _chance(row: dict) -> str:
    low, high = (row["whole"] + row[name] for name in ("chance_low", "chance_high"))
    return f"random heads: {low:.1%} to {high:.1%}"
