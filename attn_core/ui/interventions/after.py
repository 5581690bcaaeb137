"""What follows when heads are off: in the text, in the other heads."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.interventions import ROUNDING, change_map
from attn_core.head import Head
from attn_core.interventions.random_sets import sets_alike
from attn_core.models.removal import Removal
from attn_core.similarity.words import find_words
from attn_core.ui import removals
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.removals import passage_of
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import shaded_html
from attn_core.ui.widgets.head_names import named
from attn_core.ui.widgets.pick import head_chart

TEXT_HEIGHT = 300
RANDOM = 5  # random sets that say what any heads would do to those after them: each reads the text anew


def show_after(view: TextView, removed: Removed) -> None:
    """The shaded text beside the map of changes."""
    st.header("What changes", anchor=False)
    if not removed.heads:
        st.caption("With all heads on nothing changes: take some off on the map above.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        _show_text(removed)
    with right:
        heads = _show_map(view, removed)
    with left:  # below the text there is room that the map needs
        _tell_of_others(view, removed, heads)
    show.folded("The words and the heads in numbers", "changes", partial(_show_numbers, view, removed))


def word_table(removed: Removed) -> pd.DataFrame:
    """One row a word, in the order of the text: start, end (characters), word, change (mean over its tokens)."""
    passage = passage_of(removed.key)
    tokens = removals.effect(removed.key, removed.heads, removed.how).tokens[0]
    words = find_words(passage)
    changes = words.mean(tokens[:, None])[:, 0]
    table = pd.DataFrame({"start": words.starts, "end": words.ends, "change": changes})
    text = passage.document.text
    table.insert(2, "word", [text[a:b] for a, b in zip(table["start"], table["end"], strict=True)])
    return table.sort_values("start", ignore_index=True)


def _show_text(removed: Removed) -> None:
    words = word_table(removed)
    most, half = words.loc[words["change"].idxmax()], words["change"].median()
    st.markdown("**In the text:** how far each word's last state moves")
    starts, ends = words["start"].tolist(), words["end"].tolist()
    text = passage_of(removed.key).document.text
    shaded = shaded_html(text, starts, ends, words["change"].to_numpy(), ".2%")
    st.container(height=TEXT_HEIGHT).html(shaded)
    st.caption(
        f"Deepest: {most['change']:.1%} (1 − cosine); half of the words move by less than {half:.1%}. Point at a word for its "
        "number."
    )


def _show_map(view: TextView, removed: Removed) -> pd.DataFrame:
    """How far every head is from what it was; returns the table."""
    heads = _heads(view, removed)
    st.markdown(f"**In the other heads:** what each one's similarity matrix is without {named(removed.heads)}")
    title = "Change of the similarity matrix of every head"
    figure = view.marked(change_map(heads[["layer", "head", "change", "off"]]))
    head_chart(figure, "matrix-changes", title)
    if not (heads.loc[~heads["off"], "change"] > ROUNDING).any():
        st.caption("The map has no colour: up to rounding no head that is left changes.")
    return heads


def _tell_of_others(view: TextView, removed: Removed, heads: pd.DataFrame) -> None:
    """A head in the layers of the removed ones, or before them, reads what it read before."""
    first = min(head.layer for head in removed.heads) + 1  # as it stands in a table
    later = heads.loc[~heads["off"] & (heads["layer"] > first), ["layer", "head", "change"]]
    if not len(later):
        st.caption("No head stands after those that are off: nothing reads what they leave out.")
        return
    settings, eligible = view.choice.settings, _eligible(view)
    steps = [
        partial(removals.random_matrix_changes, removed.key, Removal(some, removed.how), settings, eligible)
        for some in sets_alike(removed.heads, removed.shape, RANDOM)
    ]
    work = in_thread.begin("downstream", (removed.key, removed.removal, settings), lambda: steps)
    in_thread.watched(work, partial(_tell, later, first))


def _eligible(view: TextView) -> tuple[int, ...]:
    """The tokens that may pair."""
    return tuple(np.flatnonzero(view.window.pairs.eligible).tolist())


def _tell(later: pd.DataFrame, first: int, work: in_thread.Work) -> None:
    st.caption(sentence(later, first, list(work.parts)))
    in_thread.progress(work, "Removing random heads", "downstream")


def sentence(later: pd.DataFrame, first: int, by_chance: Sequence[np.ndarray]) -> str:
    """What happens to the heads after the first layer with one that is off, beside random heads in place of these.

    by_chance: (layer, head) a random set.
    """
    most = later.loc[later["change"].idxmax()]
    places = later["layer"].to_numpy() - 1, later["head"].to_numpy() - 1
    medians = [float(np.median(changes[places])) for changes in by_chance]
    chance = f"; chance: {min(medians):.2%} to {max(medians):.2%}, {len(medians)} random sets" if medians else ""
    return (
        "**In the other heads:** 0% is the same order of pairs, 100% nothing in common. "
        f"Up to layer {first} nothing changes but the heads that are off. After it, heads change by "
        f"{later['change'].median():.2%} (median{chance}), {Head.of_row(most['layer'], most['head'])} most, by "
        f"{most['change']:.2%}. **Click a head to make it head A.**"
    )


def _show_numbers(view: TextView, removed: Removed) -> None:
    """Both tables, side by side."""
    provenance = view.provenance(**removed.provenance, window=removed.key.number)
    tables = (
        (word_table(removed), "words-changed", "change of its last state"),
        (_heads(view, removed), "matrix-changes", "change of its matrix"),
    )
    for side, (table, name, label) in zip(st.columns(2, gap="large"), tables, strict=True):
        with side:
            show.table(table, name, provenance, columns={"change": show.share_column(label)})


def _heads(view: TextView, removed: Removed) -> pd.DataFrame:
    """One row a head: layer, head, role, change, off."""
    settings = view.choice.settings
    change = removals.matrix_changes(removed.key, removed.removal, settings, _eligible(view))
    return view.results.statistics[["layer", "head", "role"]].assign(change=change.ravel(), off=removed.is_off)
