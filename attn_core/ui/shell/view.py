"""What a page shows: the numbers of a text, and the heads that the user compares."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import altair as alt
import numpy as np
import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.charts.style import marked
from attn_core.head import Head
from attn_core.measures.roles import describe_role
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.passages import Passage
from attn_core.ui import readings
from attn_core.ui.readings import Choice
from attn_core.ui.shell.copies import Copies
from attn_core.ui.widgets.controls import chosen_of, one_of
from attn_core.ui.widgets.escape import plain

SHOWN = "shown"  # the widget that chooses one of the windows that the statistics pool


@dataclass(frozen=True, eq=False)
class ShownWindow:
    """The one window that stands for a text where only one can be shown."""

    passage: Passage
    output: HeadOutputs
    pairs: StrongPairs


@dataclass(frozen=True, eq=False)
class View:
    """What a page shows: the numbers of a text, the heads that the user compares, and copies of the model."""

    choice: Choice
    results: Analysis
    head_a: Head
    head_b: Head
    copies: Copies

    def marked(self, chart: alt.LayerChart) -> alt.LayerChart:
        """A chart of all heads with A and B in it."""
        return marked(chart, self.head_a, self.head_b)

    @cached_property
    def window(self) -> ShownWindow:
        """The window that was chosen; of pooled ones the one to be shown, at first the first that has pairs."""
        reading = self.results.reading
        pairs = self.results.windows[self._numbers.index(chosen_of(SHOWN, self._numbers))]
        at = [passage.index for passage in reading.passages].index(pairs.passage.index)
        return ShownWindow(reading.passages[at], reading.outputs[at], pairs)

    @property
    def _numbers(self) -> list[str]:
        """Of the windows that have pairs, as they are chosen."""
        return [str(pairs.passage.index + 1) for pairs in self.results.windows]

    def choose_window(self, pooled: str = "") -> None:
        """Name the window that is shown where numbers pool several, and offer the others. pooled: which, in words."""
        if (windows := len(self.results.reading.passages)) > 1:
            with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
                one_of(f"Window shown, of {windows}", self._numbers, SHOWN, width=160)
                st.caption(pooled or f"The numbers of heads pool all {windows} windows.")

    def similarity(self, head: Head) -> np.ndarray:
        """The context similarity matrix of a head in that window, (N, N)."""
        return as_array(context_similarity(self.window.output.z[head], self.choice.settings.measure))

    @property
    def part_shown(self) -> str:
        """Which window that is, where there are several."""
        windows = len(readings.passages(self.choice.key))
        return f"window {self.window.passage.index + 1} of {windows}" if windows > 1 else ""

    @property
    def identity(self) -> str:
        """Names the tokens on the screen: what the user picked among them is forgotten when it changes."""
        provenance = self.results.provenance
        of_text = (str(provenance[name]) for name in ("revision", "text_sha256", "layout", "windows", "window_tokens"))
        return "-".join([*of_text, str(self.window.passage.index + 1)])


@contextmanager
def head_part(view: View) -> Iterator[None]:
    """A frame headed by head A with its main and its second kind."""
    row = view.results.statistics.set_index(["layer", "head"]).loc[view.head_a.row]
    with st.container(border=True, key="head-a"):
        st.header(f"{view.head_a}: {plain(describe_role(row))}", anchor=False)
        yield
