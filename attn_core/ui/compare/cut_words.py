"""What cutting words into tokens does to the numbers of a text."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.charts.comparison import depth_curves
from attn_core.comparison.subjects import Subject, curves
from attn_core.measures.statistics import BY_LABEL, Statistic
from attn_core.similarity.words import find_words
from attn_core.study.in_words import percents
from attn_core.ui.caches import of_choice
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets import show
from attn_core.ui.widgets.show import beside_chance, facts


def show_words(view: TextView, statistic: Statistic) -> None:
    """What cutting words does: the same model and text over tokens and over words."""
    st.caption("The same model and text over the model's tokens and over the text's words.")
    choice = view.choice
    units = [replace(choice, settings=replace(choice.settings, unit=unit)) for unit in ("tokens", "words")]
    tokens, words = (of_choice.results(one) for one in units)
    assert isinstance(tokens, Analysis)
    assert isinstance(words, Analysis)
    cut, number, unspaced = _cutting(tokens)
    with facts():
        beside_chance("Words", f"{number:,}", f"in {sum(map(len, tokens.reading.passages)):,} tokens")
        beside_chance("Words cut in several tokens", f"{cut:.0%}", None)
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
            across=0.4,
            shows={"pairs": f"strongest {percents([choice.settings.share])} of pairs of tokens, of words"},
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
