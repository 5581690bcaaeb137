"""What a model still can without the heads that are off, on texts that a user uploads, beside random heads of their layers.

Labelled texts, a file of GAP whose pronouns mean one of two names, texts with gold boundaries: one way for all of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.errors import InputError, TextError
from attn_core.head import Head
from attn_core.interventions.random_sets import Set, sets_alike, sets_beside
from attn_core.interventions.tables import task_row
from attn_core.models.intervention import Intervention
from attn_core.models.records import LoadedModel
from attn_core.numerics.poisson_bootstrap import LEAST
from attn_core.ui.caches import models_held
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.head_names import named
from attn_core.ui.widgets.uploads import Upload, digest, uploaded

RANDOM = 5  # random sets: each reads all texts anew
AT_ONCE = 4  # labelled texts a step
ALONE = "Whole layers are off: no other heads of the same layers could be the chance level."


@dataclass(frozen=True)
class Measured:
    """What a task comes to. by_text: (text, removal). chance: without any model, and what that is."""

    quantity: str
    by_text: np.ndarray
    chance: float
    chance_is: str


@dataclass(frozen=True)
class Given:
    """What files hold, in words, and in parts: `read` makes numbers of one under each removal, `measure` a result of all."""

    summary: str
    parts: Sequence[Any]
    read: Callable[[LoadedModel, Any, Sequence[Set], Intervention], Any]
    measure: Callable[[list[Any]], list[Measured]]


@dataclass(frozen=True)
class Task:
    """A task, its place on the page, and the files that it takes. given: raises InputError for files of another kind.

    shares: whether its numbers are shares, of which more is better; of Pk less is. at_once: whether a text is read under all
    removals at once, so that one head can be held against all others of the model.
    """

    name: str
    title: str
    upload: str
    types: tuple[str, ...]
    many: bool
    given: Callable[[list[Upload]], Given]
    shares: bool = True
    at_once: bool = False

    def number(self, value: float) -> str:
        """A number of it in words."""
        return f"{value:.1%}" if self.shares else f"{value:.3f}"

    def change(self, value: float) -> str:
        """A difference of two."""
        return f"{100 * value:+.1f}" if self.shares else f"{value:+.3f}"

    def beside(self, removed: Sequence[Head], shape: tuple[int, int]) -> list[Set]:
        """What some heads are held against."""
        every = (
            sets_beside(removed, shape) if self.at_once and len(removed) == 1 else sets_alike(removed, shape, RANDOM)
        )
        return [one for one in every if one != tuple(removed)]


def show_tasks(view: TextView, removed: Removed) -> None:
    """The upload of a task, the button that begins, and what comes of it with all heads and without those that are off."""
    by_title = {task.title: task for task in TASKS}
    task = by_title[one_of("Task", list(by_title), "task", width=360)]
    files: list[Upload] | None = uploaded(task.upload, f"{task.name}_upload", task.types, task.many)
    if files is None:
        st.caption("What you upload stays in this session and is kept nowhere.")
        return
    try:
        given = task.given(files)
    except InputError as error:
        st.warning(plain(error), icon=":material/info:")
        return
    st.caption(plain(given.summary))
    every: list[Set] = [(), removed.heads, *task.beside(removed.heads, removed.shape)] if removed.heads else [()]
    of = removed.key.spec, digest(files), removed.intervention
    provenance = view.provenance(files=", ".join(one.name for one in files), intervention=str(removed.intervention))
    in_thread.on_request(
        task.name,
        of,
        partial(_steps, given, removed, every),
        partial(_draw, task, removed, provenance),
        "With and without the heads" if removed.heads else "With all heads",
        "play_arrow",
        f"Every text is read {len(every)} times, in the background.",
    )


def sentence(task: Task, row: dict[str, Any], others: int | None = None) -> str:
    """What a row of the table says, with its error. row: as of `task_row`. others: how many of all other heads of the model cost
    as much, where one is off that is held against these."""
    worse, better = (row["high"] < 0, row["low"] > 0) if task.shares else (row["low"] > 0, row["high"] < 0)
    which = "worse" if worse else "better" if better else "no clear change"
    if row["texts"] < LEAST:
        which = "too few texts to tell"
    change, low, high, least, most = (
        task.change(row[name]) for name in ("effect", "low", "high", "chance_low", "chance_high")
    )
    unit = " points" if task.shares else ""
    interval = "" if np.isnan(row["low"]) else f", 95 % interval over the texts {low} to {high}"
    texts = "one text" if row["texts"] == 1 else f"{row['texts']:,} texts"
    said = (
        f"{row['quantity']}, {texts}: {task.number(row['without'])} without the heads, {task.number(row['whole'])} with all: "
        f"**{which}** ({change}{unit}{interval})."
    )
    if not row["random_sets"]:
        return f"{said} {ALONE}"
    if others is not None:
        return (
            f"{said} Of the {row['random_sets']} other heads of the model, each off alone, {others} cost as much or more: the "
            f"change is {least} to {most}{unit}."
        )
    return (
        f"{said} Without as many random heads of the same layers, {row['random_sets']} sets, the change is {least} to "
        f"{most}{unit}."
    )


def as_much(by_text: np.ndarray) -> int:
    """How many other sets cost as many texts as the heads that are off, or more. by_text: as of `Measured`, 0 or 1."""
    right = by_text[:, 1:].sum(axis=0)
    return int((right[1:] <= right[0]).sum())


def _steps(given: Given, removed: Removed, every: list[Set]) -> list[Callable[[], Any]]:
    """A part after the other, and at last what they come to."""
    read: list[Any] = []

    def step(part: Any) -> None:
        read.append(given.read(models_held.model(removed.key.spec), part, every, removed.how))

    return [*(partial(step, part) for part in given.parts), lambda: given.measure(read)]


def _draw(task: Task, removed: Removed, provenance: dict[str, object], work: in_thread.Work) -> None:
    if work.complete:
        measured: list[Measured] = work.parts[-1]
        table = pd.DataFrame([task_row(one.quantity, _with_two(one.by_text), one.chance) for one in measured])
        rows = table.to_dict("records")
        with show.facts():
            for one, row in zip(measured, rows, strict=True):
                show.beside_chance(
                    one.quantity, task.number(row["whole"]), f"{one.chance_is}: {task.number(one.chance)}"
                )
                if removed.heads:
                    show.beside_chance(
                        f"without {named(removed.heads)}", task.number(row["without"]), _chance(task, row)
                    )
        if removed.heads:
            for one, row in zip(measured, rows, strict=True):
                others = as_much(one.by_text) if task.at_once and len(removed.heads) == 1 else None
                st.caption(sentence(task, row, others))
        else:
            table = table[["quantity", "texts", "whole", "chance_whole"]]
        shares = table.select_dtypes("float") if task.shares else ()
        show.table(table, f"{task.name}-with-and-without", provenance, columns=show.shares(*shares))
    in_thread.progress(work, "Texts", task.name)


def _with_two(by_text: np.ndarray) -> np.ndarray:
    """With all heads on nothing is removed, and nothing changes."""
    return by_text if by_text.shape[1] > 1 else by_text[:, [0, 0]]


def _chance(task: Task, row: dict[str, Any]) -> str:
    if not row["random_sets"]:
        return "no other heads"
    low, high = (task.number(row["whole"] + row[name]) for name in ("chance_low", "chance_high"))
    others = "other heads" if task.at_once else "random heads"
    return f"{others}: {low} to {high}"


def _labelled(files: list[Upload]) -> Given:
    from attn_core.interventions.labels import embeddings_without, labelled_rightly, labelled_texts

    (file,) = files
    labelled = labelled_texts(file.data, file.name)

    def measure(embeddings: list[np.ndarray]) -> list[Measured]:
        right = [labelled_rightly(one, labelled) for one in np.concatenate(embeddings, axis=1)]
        return [Measured("Labelled rightly", np.stack(right, axis=1), labelled.chance, "the most frequent label")]

    summary = f"{file.name}: {len(labelled.texts):,} texts, {len(set(labelled.labels)):,} labels."
    parts = [labelled.texts[start : start + AT_ONCE] for start in range(0, len(labelled.texts), AT_ONCE)]
    return Given(summary, parts, embeddings_without, measure)


def _pronouns(files: list[Upload]) -> Given:
    from attn_core.interventions.tasks import choices, margins_without, named_rightly
    from attn_core.patterns.gap import read_gap
    from attn_core.texts.documents import decode

    (file,) = files
    snippets = choices(read_gap(decode(file.data)[0], file.name), file.name)

    def read(model: LoadedModel, snippet: Any, every: Sequence[Set], how: Intervention) -> np.ndarray | None:
        try:
            return np.stack([margins_without(model, snippet, heads, how.replace, "plain") for heads in every])
        except TextError:  # no window of this model has all three words
            return None

    def measure(margins: list[np.ndarray | None]) -> list[Measured]:
        known = [one for one in margins if one is not None]
        if len(known) < LEAST:
            raise InputError(
                f"Fewer than {LEAST} snippets have their pronoun and both names in one window of this model."
            )
        texts = np.arange(len(known))
        right = [named_rightly(np.stack(one), texts) for one in zip(*known, strict=True)]
        return [Measured("Pronouns whose name is found", np.stack(right, axis=1), 0.5, "one of two names")]

    summary = f"{file.name}: {len(snippets):,} snippets whose pronoun means one of two names."
    return Given(summary, snippets, read, measure)


def _segments(files: list[Upload]) -> Given:
    from attn_core.interventions.tasks import pk_without
    from attn_core.segmentation.gold_texts import gold_in

    texts = gold_in({one.name: one.data for one in files})

    def read(model: LoadedModel, text: Any, every: Sequence[Set], how: Intervention) -> np.ndarray:
        return np.array([pk_without(model, text, heads, how.replace) for heads in every])

    def measure(pk: list[np.ndarray]) -> list[Measured]:
        by_text = np.stack(pk)  # (text, removal, own or by chance, number given or found)
        return [
            Measured(f"Pk, number of segments {number}", by_text[:, :, 0, at], by_text[:, 0, 1, at].mean(), cuts)
            for at, (number, cuts) in enumerate((("given", "even cuts"), ("found", "no cut at all")))
        ]

    summary = f"{len(texts):,} of {len(files):,} files have gold boundaries: {', '.join(texts)}"
    return Given(summary[:300], list(texts.values()), read, measure)


LABELS = Task(
    "labels", "Accuracy on labelled texts of yours", "A .csv file with the columns text and label", ("csv",), False, _labelled,
    at_once=True,
)  # fmt: skip
PRONOUNS = Task(
    "gap", "Whom pronouns mean, on a file of GAP", "A .tsv file as that of GAP (Webster et al. 2018)", ("tsv",), False, _pronouns
)  # fmt: skip
SEGMENTS = Task(
    "gold", "Where texts break (Pk), on gold texts",
    "Texts with gold boundaries: .txt files with a line of ========== between segments", ("txt",), True, _segments, shares=False,
)  # fmt: skip
TASKS = (LABELS, PRONOUNS, SEGMENTS)
