"""How sure of a word a model is, layer by layer, and which words a layer would put at a place, where it has a head for it."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.charts.interventions import by_layer_in_bits
from attn_core.errors import InputError
from attn_core.models.intervention import Intervention
from attn_core.texts.passages import Passage
from attn_core.ui.caches import removals
from attn_core.ui.choice import TextKey
from attn_core.ui.home.text_view import picked_token
from attn_core.ui.interventions.heads_off import Removed
from attn_core.ui.runs import in_thread
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.head_names import named

ALL_ON = "all heads"
KINDS = {"entropy": "entropy", "cross_entropy": "cross-entropy of the true word"}
TEXT_HEIGHT = 330


def show_entropies(view: TextView, removed: Removed) -> None:
    """The curves, and below them the words at a place; one sentence for a model without a language-model head."""
    head = removals.language_head(removed.key.spec)
    if isinstance(head, str):
        st.caption(f":material/info: {plain(head)}")
        return
    windows = tuple(passage.index for passage in view.results.reading.passages)
    states = [None, removed.intervention] if removed.heads else [None]
    of = removed.key, windows, removed.intervention if removed.heads else None
    work = in_thread.begin("entropy", of, partial(_steps, removed.key, windows, states))
    in_thread.watched(work, partial(_draw, view, removed))
    _show_words(view, removed)


def _steps(
    key: TextKey, windows: tuple[int, ...], states: Sequence[Intervention | None]
) -> list[Callable[[], pd.DataFrame]]:
    """A window after the other, each with all heads and then without."""
    return [partial(removals.entropies, key.at(window), state) for window in windows for state in states]


def _draw(view: TextView, removed: Removed, work: in_thread.Work) -> None:
    names = [ALL_ON, f"without {named(removed.heads)}"] if removed.heads else [ALL_ON]
    done = len(work.parts) // len(names)
    if done:
        table = by_state([work.parts[at : done * len(names) : len(names)] for at in range(len(names))], names)
        chance = float(table["chance_entropy"].iloc[0])
        long = table.melt(["layer", "heads"], list(KINDS), "kind", "bits").replace({"kind": KINDS})
        title = "Entropy and cross-entropy of the language-model head by layer"
        shows = removed.shows if removed.heads else {}
        show.chart(by_layer_in_bits(long, chance), "entropy-by-layer", title, across=0.6, shows=shows)
        st.caption(sentence(table[table["heads"] == ALL_ON], chance, done))
        more = {"intervention": str(removed.intervention)} if removed.heads else {}
        show.table(table, "entropies", view.provenance(**more), columns=_columns())
    in_thread.progress(work, "Windows", "entropy")


def by_state(parts: Sequence[Sequence[pd.DataFrame]], names: Sequence[str]) -> pd.DataFrame:
    """`entropy_table` with a column heads: with all of them, and without those that are off."""
    from attn_core.interventions.losses import entropy_table

    tables = (entropy_table(some).assign(heads=name) for some, name in zip(parts, names, strict=True))
    return pd.concat(tables, ignore_index=True)


def sentence(table: pd.DataFrame, chance: float, windows: int) -> str:
    """What the numbers say of the last layer, and whether entropy falls on the way to it."""
    entropy, last = table["entropy"].to_numpy(), table.iloc[-1]
    falls = int((np.diff(entropy) < 0).sum())
    where = "one window" if windows == 1 else f"{windows:,} windows"
    return (
        f"After the last layer **{last['entropy']:.2f} bits** of entropy and **{last['cross_entropy']:.2f} bits** of "
        f"cross-entropy, at {last['places']:,} places of {where}; dashed: {chance:.2f} bits, an even guess among all "
        f"words of the vocabulary. Entropy falls in {falls} of "
        f"{len(entropy) - 1} steps from layer to layer, from "
        f"{entropy[0]:.2f} bits at the embeddings."
    )


def _show_words(view: TextView, removed: Removed) -> None:
    """The text to click, and beside it what every layer would put there."""
    passage = removals.passage_of(removed.key)
    places = np.flatnonzero(~passage.is_special)
    first = int(places[len(places) // 2]) if len(places) else 0
    text, words = st.columns([3, 2], gap="large")
    with text:
        st.markdown("**Click a word:** which words would each layer put there?")
        with st.container(height=TEXT_HEIGHT, border=False):
            blank = np.full((len(passage), len(passage)), np.nan)
            position = picked_token(passage, blank, first, f"asked-{view.identity}-{removed.key.number}")
    with words:
        _words_of_layers(view, removed, passage, position)


def _words_of_layers(view: TextView, removed: Removed, passage: Passage, position: int) -> None:
    state = removed.intervention if removed.heads else None
    try:
        table = removals.words_at(removed.key, state, position)
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    without = f", without {named(removed.heads)}" if state else ""
    st.markdown(f"**In place of “{plain(passage.surface(position))}”** (token {position}){without}")
    more = {"intervention": str(state)} if state else {}
    show.table(
        table, "words-at", view.provenance(window=removed.key.number, position_of_token=position, **more),
        columns={
            "probability": show.share_column("probability"),
            "true": st.column_config.CheckboxColumn("is the word"),
        },
        column_order=["layer", "rank", "token", "probability", "true"], height=TEXT_HEIGHT - 60,
    )  # fmt: skip


def _columns() -> dict[str, object]:
    number = st.column_config.NumberColumn
    return {
        "entropy": number("entropy, bits", format="%.2f"),
        "cross_entropy": number("cross-entropy, bits", format="%.2f"),
        "chance_entropy": number("even guess, bits", format="%.2f"),
    }
