"""What a page shows, and what stands around it: the sidebar, warnings and what an error looks like."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.analysis.one_text import Analysis
from attn_core.charts.catalogue import BESIDE_COPIES, TEXT, Tables, draw_figure
from attn_core.charts.role_words import described_roles
from attn_core.charts.style import SELECTION
from attn_core.errors import InputError, ModelNotHere
from attn_core.head import Head
from attn_core.measures.comparison import nearest_by_pairs
from attn_core.measures.few_pairs import too_few
from attn_core.measures.roles import clearest_head
from attn_core.measures.stable_roles import with_stable
from attn_core.models.files import ModelSpec
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import StrongPairs
from attn_core.texts.documents import samples
from attn_core.texts.passages import Passage
from attn_core.ui import readings
from attn_core.ui.readings import Choice
from attn_core.ui.shell import model_download, sidebar
from attn_core.ui.shell.completion import (
    COPIES,
    COPIES_WITH_SOURCES,
    NOISE,
    ROLES,
    Completion,
    Copies,
    Part,
    expected_copies,
)
from attn_core.ui.shell.notes import notes
from attn_core.ui.widgets import controls, show
from attn_core.ui.widgets.controls import choose_head, chosen_of, one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.figures import fetch_what_draws, save_menu, show_figure

LAST, SAID = "last_good_choice", "said_before_drawn_again"  # the last choice that could be shown; warnings to repeat
VIEW, CHOICE = "view_of_the_run", "choice_of_the_run"
SHOWN = "shown"  # the widget that chooses one of the windows that the statistics pool
T = TypeVar("T")
OwnTables = Mapping[str, Callable[[], pd.DataFrame]]  # of a page, by name, each made where its figure is made


@dataclass(frozen=True, eq=False)
class ShownWindow:
    """The window of a text that is shown where only one can be."""

    passage: Passage
    output: HeadOutputs
    pairs: StrongPairs


@dataclass(frozen=True, eq=False)
class View:
    """What a page shows: the analysis of a text, what completes it, and head A. heads_place: where it is chosen."""

    choice: Choice
    results: Analysis
    completion: Completion
    head_a: Head
    heads_place: DeltaGenerator

    def choose_head_b(self) -> Head:
        """Draw the widget of head B beside that of head A. Returns the chosen one, at first the head most like A."""
        results, removed = self.results, self.results.reading.model.removed
        nearest = partial(nearest_by_pairs, results.windows, self.head_a, removed)
        with self.heads_place:
            return choose_head("Head B", "b", results.shape, nearest, removed)

    @cached_property
    def copies(self) -> Copies:
        """The tables of the copies of the model. They are read after the page is drawn, and have no rows before."""
        return self._copies(COPIES)

    @cached_property
    def copies_with_sources(self) -> Copies:
        """The same with what strong pairs read in the copies."""
        return self._copies(COPIES_WITH_SOURCES)

    def _copies(self, part: Part) -> Copies:
        if self.choice.spec.copy is not None:
            return Copies()
        if copies := self.completion.ask(part):
            return copies
        return Copies() if self.completion.waits else expected_copies(self.results)

    @cached_property
    def roles(self) -> pd.DataFrame | None:
        """The table of stable roles; None until it is read, after the page is drawn."""
        return self.completion.ask(ROLES)

    @property
    def heads_with_stable(self) -> pd.DataFrame:
        """The heads table with the column stable, see `with_stable`."""
        heads, roles = self.results.statistics, self.roles
        return self.kept(("stable", roles is None), lambda: with_stable(heads, roles))

    def show_roles(self) -> None:
        """Draw the map of roles, pale where a role is not stable."""
        self.show("roles", tables={"heads": lambda: self.heads_with_stable}, inputs=self.roles is None)

    def say_fair_chance(self) -> None:
        """Draw, for a causal model, that chance over all pairs is not fair, and what is."""
        if self.results.reading.model.causal:
            st.caption(
                ":material/info: In a causal model all pairs are no fair chance: near tokens read nearly the same, and "
                "the first ones are read by all. A role that the untrained copy has as well was not learned."
            )

    def show(
        self,
        name: str,
        *statistics: str,
        tables: OwnTables = {},  # noqa: B006
        inputs: Hashable = (),
        on_select: Callable[[str], None] | None = None,
        **arguments: Any,
    ) -> None:
        """Draw a figure of the catalogue in which head A is marked. A click on a head makes it head A.

        tables: what the analysis does not have. inputs: what decides these tables. on_select: called in place of that.
        """
        results, copies = self.results, self.copies.layers if name in BESIDE_COPIES else {}

        def table(name: str) -> pd.DataFrame:
            return tables[name]() if name in tables else getattr(results, "statistics" if name == "heads" else name)

        of = Tables(TEXT, (), table, results.unit, copies=copies)
        show_figure(
            results, name, of, *statistics, inputs=(inputs, *map(len, copies.values())),
            heads=(self.head_a,), on_select=on_select or choose_clicked, **arguments,
        )  # fmt: skip

    def save(self, name: str, table: Callable[[], pd.DataFrame], **arguments: Any) -> None:
        """Draw what saves a figure that the page does not draw. table: makes its table, which is saved as CSV."""
        draw = partial(draw_figure, name, Tables(TEXT, (), lambda _: table()), **arguments)
        head, letter = str(arguments["words"]["head"]), arguments["words"].get("letter", "")
        file = "-".join(filter(None, (name, letter)))
        choices = {"head": head, "window": self.window.passage.index + 1, "values": arguments["label"]}
        with st.container(horizontal=True, vertical_alignment="center"):
            save_menu(file, draw, label=f"Save {head}")
            show.csv_button(table, file, {**st.session_state[show.PROVENANCE], **choices}, type="tertiary")

    @cached_property
    def window(self) -> ShownWindow:
        """The shown window: the chosen one, by default the first with pairs."""
        reading = self.results.reading
        pairs = self.results.windows[self._numbers.index(chosen_of(SHOWN, self._numbers))]
        at = [passage.index for passage in reading.passages].index(pairs.passage.index)
        return ShownWindow(reading.passages[at], reading.outputs[at], pairs)

    @property
    def _numbers(self) -> list[str]:
        """The numbers of the windows that have pairs, as the widget has them."""
        return [str(pairs.passage.index + 1) for pairs in self.results.windows]

    def choose_window(self, pooled: str = "") -> None:
        """Draw a widget that chooses the shown window, if there are several. pooled: a sentence on which are pooled."""
        if (windows := len(self.results.reading.passages)) > 1:
            with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
                one_of(f"Window shown, of {windows}", self._numbers, SHOWN, width=160)
                st.caption(pooled or f"The numbers of heads pool all {windows} windows.")

    def similarity(self, head: Head) -> np.ndarray:
        """The context similarity matrix of a head in the shown window, (N, N)."""
        return as_array(context_similarity(self.window.output.z[head], self.choice.settings.measure))

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returns, made once for the analysis and a key."""
        return readings.kept(self.results, key, make)

    @property
    def few(self) -> bool:
        """Whether there are too few strong pairs to name heads by."""
        return self.kept("few", lambda: too_few(self.results.statistics))

    @property
    def of_window(self) -> str:
        """The words " of window 2 of 5" for the shown window; empty for a text of one window."""
        windows = len(readings.passages(self.choice.key))
        return f" of window {self.window.passage.index + 1} of {windows}" if windows > 1 else ""

    @property
    def identity(self) -> str:
        """A name for the shown tokens. Widgets of tokens have it in their keys, and so forget picks with the text."""
        provenance = self.results.provenance
        of_text = (str(provenance[name]) for name in ("revision", "text_sha256", "layout", "windows", "window_tokens"))
        return "-".join([*of_text, str(self.window.passage.index + 1)])


@contextmanager
def head_part(view: View) -> Iterator[None]:
    """Context manager for a frame whose heading is head A with its roles."""
    with st.container(border=True, key="head-a"):
        st.header(f"{view.head_a}: {view.kept('roles', partial(_roles, view.results))[view.head_a]}", anchor=False)
        yield


def _roles(results: Analysis) -> dict[Head, str]:
    """The roles of every head in words."""
    rows = results.statistics.to_dict("records")
    return {Head.of_row(row["layer"], row["head"]): plain(described_roles(row)) for row in rows}


def choose_clicked(chart: str) -> None:
    """Make the head that was clicked in a chart head A."""
    if cells := st.session_state[f"chart-{chart}"]["selection"][SELECTION]:
        st.session_state["a"] = str(Head.of_row(cells[0]["layer"], cells[0]["head"]))


def begin() -> View:
    """What the page shows, which `of_text` has prepared."""
    return st.session_state.pop(VIEW)


def choice() -> Choice:
    """The choice of model and settings in the sidebar, for a page that reads no text."""
    return st.session_state.pop(CHOICE)


@contextmanager
def of_text(one_window: bool) -> Iterator[None]:
    """Context manager that draws what surrounds a page about a text, and draws it again once it is completed.

    one_window: whether the page reads only one window, by default the first.
    """
    view, said, ignored = _prepare(one_window)
    st.session_state[VIEW] = view
    yield
    said += controls.warn(ignored)
    if problem := view.copies.problem if {COPIES, COPIES_WITH_SOURCES} & {*view.completion.asked} else "":
        st.caption(f":material/info: The copies of the model cannot be shown: {plain(problem)}")
    if view.completion.complete():
        st.session_state[SAID] = said  # what they are about has left the address
        st.rerun()


@contextmanager
def of_corpora() -> Iterator[None]:
    """Context manager that draws the sidebar of a page that reads no text and loads no model."""
    controls.remember()
    st.session_state[CHOICE] = sidebar.choose_without_text()
    ignored = st.container()
    yield
    controls.warn(ignored)


def _prepare(one_window: bool) -> tuple[View, list[str], DeltaGenerator]:
    """Draw what is above a page. Returns what the page shows, the warnings above it, and a place for more of them."""
    controls.remember()
    said = st.session_state.pop(SAID, [])
    for message in said:
        st.warning(message, icon=":material/info:")
    first_chart = fetch_what_draws(starting=LAST not in st.session_state)
    asked, place_of_heads = sidebar.draw()
    asked, completion, results = _shown(asked, one_window, said)
    first_chart.empty()
    shown = asked.of_one_window if one_window else asked
    st.session_state.update({LAST: asked, show.PROVENANCE: results.provenance})
    with place_of_heads:
        clearest, removed = partial(clearest_head, results.statistics), results.reading.model.removed
        head_a = choose_head("Head A", "a", results.shape, clearest, removed)
    sidebar.draw_foot(shown, results)
    ignored = st.container()
    for note in readings.kept(results, ("notes", asked.window, shown.window), partial(notes, asked, shown, results)):
        st.caption(note)
    return View(shown, results, completion, head_a, place_of_heads), said, ignored


def _shown(asked: Choice | InputError, one_window: bool, said: list[str]) -> tuple[Choice, Completion, Analysis]:
    """A choice, what completes it, and its analysis; if it cannot be analysed, the previous choice below a warning."""
    choice = _explain_and_fall_back(asked, said) if isinstance(asked, InputError) else asked
    try:
        return choice, *_find(choice, one_window)
    except InputError as error:
        choice = _explain_and_fall_back(error, said)
        return choice, *_find(choice, one_window)


def _explain_and_fall_back(error: InputError, said: list[str]) -> Choice:
    """The choice that was shown before, or the first sample. Draws the error, unless a warning is there already."""
    sample = samples()[0]
    last = st.session_state.get(LAST) or Choice(ModelSpec(), sample.title, sample.text, sample.language)
    shown = f"Still showing “{plain(last.title)}” with {plain(last.spec)}."
    if not said:
        said.append(f"{plain(error)} {shown}")
        st.warning(said[0], icon=":material/info:")
    if isinstance(error, ModelNotHere):
        model_download.offer(ModelSpec(st.session_state["model"], st.session_state.get("revision") or None))
    return last


def _find(choice: Choice, one_window: bool) -> tuple[Completion, Analysis]:
    with st.spinner("Reading the text", show_time=True):
        shown = choice.of_one_window if one_window else choice
        completion = Completion(shown)
        return completion, readings.results(shown) if completion.ask(NOISE) else readings.first_look(shown)
