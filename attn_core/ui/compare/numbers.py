"""The statistics of the subjects: curves by depth, their numbers, head by head where the models are of one shape; and what
cutting words into tokens does to them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.charts.comparison import depth_curves, difference_curve, value_map
from attn_core.comparison.subjects import Subject, curves, difference_in_words, head_differences, layer_differences
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import BY_LABEL, Statistic
from attn_core.similarity.words import find_words
from attn_core.ui import derived, readings
from attn_core.ui.compare.subjects import Compared, provenance
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.escape import plain


def show_layers(compared: Sequence[Compared]) -> Statistic:
    """Curves of all subjects over relative depth, and A minus B.

    Returns the statistic that was chosen, which is that of the maps too.
    """
    table = derived.curves([one.choice for one in compared], [one.name for one in compared])
    a, b = compared[:2]
    answer = st.empty()
    left, right = st.columns(2, gap="large")
    with left:
        # The label would push the figure off the first screen, below an answer of nine lines.
        statistic = BY_LABEL[one_of("Statistic", list(BY_LABEL), "compared", label_visibility="collapsed")]
        counted = statistic.over(" or ".join(dict.fromkeys(one.results.unit for one in compared)))
        show.chart(
            depth_curves(table[table["statistic"] == statistic.name], counted),
            "depth-curves",
            f"{statistic.label} by depth",
        )
    with right:
        differences = layer_differences(a.results, b.results)
        st.caption(f"{statistic.question} Dashed: chance. Here A minus B.")
        shown = differences[differences["statistic"] == statistic.name]
        if len(shown):
            show.chart(
                difference_curve(shown, statistic, (a.name, b.name)),
                "difference-curve",
                f"{statistic.label} by depth, A minus B",
            )
    answer.markdown(f"**{plain(difference_in_words(a, b, statistic))}**")
    return statistic


def show_numbers(view: TextView, compared: Sequence[Compared]) -> None:
    """Every statistic of every subject by layer, and the differences of the first two."""
    table = derived.curves([one.choice for one in compared], [one.name for one in compared])
    show.table(table, "curves", provenance(view, compared))
    differences = layer_differences(*(one.results for one in compared[:2]))
    show.table(differences, "differences", provenance(view, compared[:2]))


def show_maps(compared: Sequence[Compared], statistic: Statistic) -> None:
    """Every head of A and of B minus chance, and their difference where the shapes agree."""
    a, b = (one.results for one in compared[:2])
    excess = [
        results.statistics[["layer", "head"]].assign(
            minus_chance=results.statistics[statistic.name] - results.statistics[statistic.chance]
        )
        for results in (a, b)
    ]
    ends = [table["minus_chance"].abs().max() for table in excess]
    limit = float(np.nanmax(ends)) or 1.0
    alike = a.shape == b.shape
    blank = statistic.of_pairs and any(too_few(results.statistics) for results in (a, b))
    sides = st.columns(2, gap="medium")
    for side, letter, table, one in zip(sides, "AB", excess, compared, strict=False):
        with side:
            st.markdown(f"**{letter}**: {plain(one.name)}, minus chance")
            title = f"{statistic.label} of every head of {letter}, minus chance"
            figure = value_map(table, "minus_chance", statistic, limit, blank)
            show.chart(figure, f"map-{letter.lower()}", title)
    if not alike:
        st.caption(
            "The models differ in layers or heads, so that no head of A has its own place in B: see the match below."
        )
        return
    with sides[0]:
        st.markdown("**A - B**, head by head")
        difference = head_differences(a, b, statistic)
        limit = float(difference["difference"].abs().max()) or 1.0
        figure = value_map(difference, "difference", statistic, limit, blank)
        title = f"{statistic.label} of every head, A minus B"
        show.chart(figure, "map-difference", title)


def show_words(view: TextView, statistic: Statistic) -> None:
    """What cutting words does: the same model and text over tokens and over words."""
    st.caption("The same model and text over the model's tokens and over the text's words.")
    choice = view.choice
    units = [replace(choice, unit="tokens"), replace(choice, unit="words")]
    tokens, words = (readings.results(one) for one in units)
    cut, number, unspaced = _cutting(tokens)
    with show.facts():
        show.beside_chance("Words", f"{number:,}", f"in {sum(map(len, tokens.reading.passages)):,} tokens")
        show.beside_chance("Words cut in several tokens", f"{cut:.0%}", None)
    if unspaced:
        st.caption(
            f":material/info: {unspaced:.0%} of the words stand in a script that writes no blanks: there the tokenizer's own "
            "pre-tokenizer tells what a word is, or its tokens do where it cuts nothing."
        )
    left, right = st.columns([2, 3], gap="large")
    both = [Subject("tokens", tokens), Subject("words", words)]
    table, counted = curves(both), statistic.over("tokens or words")
    with left:
        show.chart(
            depth_curves(table[table["statistic"] == statistic.name], counted),
            "unit-curves",
            f"{statistic.label} by depth, over tokens and over words",
        )
    with right:
        show.table(_units(both), "units", view.provenance(units="tokens, words"), height=300)


def _cutting(tokens: Analysis) -> tuple[float, int, float]:
    """Share of words in several tokens, number of words, share of words that the tokenizer told."""
    by_window = [find_words(passage) for passage in tokens.reading.passages]
    sizes = np.concatenate([np.bincount(words.words, minlength=len(words)) for words in by_window])
    return float((sizes > 1).mean()), len(sizes), float(np.concatenate([words.unspaced for words in by_window]).mean())


def _units(both: Sequence[Subject]) -> pd.DataFrame:
    """One row a statistic: mean over all heads, and chance, over tokens and over words."""
    columns: dict[str, Any] = {"statistic": list(BY_LABEL)}
    for subject in both:
        heads = subject.results.statistics
        columns[f"over_{subject.name}"] = [heads[one.name].mean() for one in BY_LABEL.values()]
        columns[f"chance_over_{subject.name}"] = [heads[one.chance].mean() for one in BY_LABEL.values()]
    return pd.DataFrame(columns)
