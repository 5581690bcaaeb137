"""Does a classifier of labelled texts get worse without the heads that are off? Beside random heads of their layers."""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.errors import InputError
from attn_core.interventions.random_sets import Set, sets_alike
from attn_core.models.files import ModelSpec
from attn_core.models.intervention import Intervention
from attn_core.ui.caches import removals
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.frame import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.fact import beside_chance, facts
from attn_core.ui.widgets.head_names import named

if TYPE_CHECKING:
    from attn_core.interventions.labels import Accuracy, Labelled

FILE = "labelled_file"  # in the session: name and bytes, since an upload is forgotten when the page changes
RANDOM = 5  # random sets: each reads all texts anew
AT_ONCE = 4  # texts a step
ALL_ON = "all heads"


class Asked(NamedTuple):
    """What decides the accuracies. file: sha256 of the upload."""

    spec: ModelSpec
    file: str
    intervention: Intervention


def show_accuracy(view: TextView, removed: Removed) -> None:
    """The upload, the button that begins, and the accuracies with their intervals."""
    from attn_core.interventions.labels import labelled_texts

    st.file_uploader(
        "A .csv file with the columns text and label",
        type=["csv"],
        key="labels_upload",
        on_change=_keep,
        max_upload_size=5,
    )
    if FILE not in st.session_state:
        st.caption("It stays in this session and is kept nowhere.")
        return
    name, data = st.session_state[FILE]
    try:
        labelled = labelled_texts(data, name)
    except InputError as error:
        st.warning(plain(error), icon=":material/info:")
        return
    st.caption(f"**{plain(name)}**: {len(labelled.texts):,} texts, {len(set(labelled.labels)):,} labels.")
    sets = sets_alike(removed.heads, view.results.shape, draws=RANDOM) if removed.heads else []
    asked = Asked(removed.key.spec, sha256(data).hexdigest(), removed.intervention)
    work = in_thread.known("labels", asked)
    if work is None or work.cancelled:
        st.button(
            "Train a classifier with and without the heads" if removed.heads else "Train a classifier",
            icon=":material/label:",
            key="begin-labels",
            help=f"Every text is read in its first window, {1 + bool(removed.heads) + len(sets)} times, in the background.",
            on_click=partial(_begin, asked, labelled, removed, sets),
        )
        return
    in_thread.watched(work, partial(_draw, view, removed, labelled, name))


def _keep() -> None:
    """A file that is taken back leaves the one before in place."""
    if upload := st.session_state["labels_upload"]:
        st.session_state[FILE] = upload.name, upload.getvalue()


def _begin(asked: Asked, labelled: "Labelled", removed: Removed, sets: list[Set]) -> None:
    every = [(), removed.heads, *sets] if removed.heads else [()]
    read: list[np.ndarray] = []

    def embed(texts: tuple[str, ...]) -> None:
        read.append(removals.embeddings(asked.spec, texts, every, removed.how))

    def classify(at: int) -> "Accuracy":
        from attn_core.interventions.labels import accuracy

        return accuracy(np.concatenate(read, axis=1)[at], labelled)

    parts = [labelled.texts[start : start + AT_ONCE] for start in range(0, len(labelled.texts), AT_ONCE)]
    steps: list[Callable[[], object]] = [partial(embed, some) for some in parts]
    steps += [partial(classify, at) for at in range(len(every))]
    in_thread.begin("labels", asked, lambda: steps)


def _draw(view: TextView, removed: Removed, labelled: "Labelled", name: str, work: in_thread.Work) -> None:
    if work.complete:
        accuracies = [part for part in work.parts if part is not None]
        table = accuracy_table(accuracies, removed, labelled.chance)
        whole = accuracies[0]
        with facts():
            beside_chance(
                "Right with all heads", f"{whole.value:.1%}", f"chance: {labelled.chance:.1%}, the most frequent label"
            )
            if removed.heads:
                gone, by_chance = accuracies[1], [one.value for one in accuracies[2:]]
                chance = (
                    f"random heads: {min(by_chance):.1%} to {max(by_chance):.1%}" if by_chance else "no other heads"
                )
                beside_chance(f"Right without {named(removed.heads)}", f"{gone.value:.1%}", chance)
        if removed.heads:
            st.caption(told(accuracies))
        provenance = view.provenance(labelled=name, texts=len(labelled.texts), intervention=str(removed.intervention))
        show.table(
            table, "accuracy", provenance,
            columns=show.shares("accuracy", "accuracy_low", "accuracy_high", "chance_accuracy"),
        )  # fmt: skip
    in_thread.progress(work, "Labelled texts, four at a time", "labels")


def accuracy_table(accuracies: list["Accuracy"], removed: Removed, chance: float) -> pd.DataFrame:
    """One row a removal: heads, accuracy with its 95 % interval over the texts, chance_accuracy."""
    names = [ALL_ON, f"without {named(removed.heads)}", *[f"random set {at}" for at in range(1, RANDOM + 1)]]
    rows = [(one.value, one.low, one.high) for one in accuracies]
    table = pd.DataFrame(rows, columns=["accuracy", "accuracy_low", "accuracy_high"])
    table.insert(0, "heads", names[: len(rows)])
    return table.assign(chance_accuracy=chance)


def told(accuracies: list["Accuracy"]) -> str:
    """What the numbers say, with their error."""
    whole, gone, *by_chance = accuracies
    said = (
        f"95 % intervals over the texts: {whole.low:.1%} to {whole.high:.1%} with all heads, {gone.low:.1%} to {gone.high:.1%} "
        "without. "
    )
    if not by_chance:
        return said + "Whole layers are off: no other heads of the same layers could be the chance level."
    lower = sum(one.value <= gone.value for one in by_chance)
    return (
        f"{said}Of {len(by_chance)} random sets of as many heads of the same layers, {lower} leave as little or less; so few "
        "tell a large loss only."
    )
