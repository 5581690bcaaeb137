"""What completes a page after it is drawn: noise, stable roles, sources and copies, read by one background thread.

To add a part, write a function of a choice and a line like `COPIES`; a page asks for it by `Completion.ask`. Of a copy
only tables stay in memory, neither its weights nor its head outputs. A click ends the wait, not the reading.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from time import sleep
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.analysis.one_text import Analysis, analyze
from attn_core.errors import InputError
from attn_core.measures.similarity_scores import with_reach
from attn_core.measures.sources import NO_SOURCES
from attn_core.measures.stable_roles import with_stable
from attn_core.measures.statistics import NEAR_OVER_FAR
from attn_core.models import files
from attn_core.models.baselines import copy_of
from attn_core.ui import readings
from attn_core.ui.readings import Choice

LOOK = 0.1  # seconds between two looks at whether all is read, or something was clicked
BEGUN = "parts_begun"
KEPT = 128  # parts of all sessions, at most
_THREAD = ThreadPoolExecutor(1, thread_name_prefix="completion of a page")
_futures: dict[tuple[str, object], Future[Any]] = {}  # by the name of the part and what decides it


@dataclass(frozen=True)
class Part:
    """What a page may ask for. name: as the page says it. read: function of a choice. within: a part that has it."""

    name: str
    read: Callable[[Choice], Any]
    within: "Part | None" = None


@dataclass(frozen=True, eq=False)
class Copies:
    """The tables of each copy by name, without rows until they are read, or the reason why there are none.

    The heads have the column stable, see `with_stable`. sources: of `COPIES_WITH_SOURCES` alone; a table without rows
    where they are not known.
    """

    heads: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    layers: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    distance_bins: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    sources: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    problem: str = ""

    @property
    def are_read(self) -> bool:
        return all(len(table) for table in self.layers.values())


@dataclass(frozen=True, eq=False)
class Sources:
    """The table sources of a text, or one without rows and the reason why it is not known."""

    table: pd.DataFrame
    problem: str = ""


def expected_copies(results: Analysis) -> Copies:
    """The tables of copies that are not read yet, so that a page keeps their place."""
    heads, layers = results.statistics.iloc[:0], results.layers.iloc[:0].assign(**{NEAR_OVER_FAR.name: np.nan})
    names = files.COPIES.values()
    return Copies(dict.fromkeys(names, heads), dict.fromkeys(names, layers))


def _read_noise(choice: Choice) -> bool:
    """Whether the results of a choice have their noise; not if the reference texts cannot be read."""
    with suppress(InputError):
        return readings.results(choice) is not None
    return False


def _read_copies(choice: Choice, with_sources: bool = False) -> Copies:
    """The tables of both copies, which are loaded one after the other."""
    from attn_core.models.loading import load  # waits for torch and transformers, which the server imports

    heads, layers, bins, sources = (dict[str, pd.DataFrame]() for _ in range(4))
    window = None if choice.window is None else choice.key.number
    try:
        for kind, name in files.COPIES.items():
            analysis = analyze(
                choice.text, load(copy_of(choice.spec, kind)), choice.settings,
                language=choice.language, layout=choice.layout, window=window,
            )  # fmt: skip
            heads[name] = with_stable(analysis.statistics, analysis.roles)
            layers[name], bins[name] = with_reach(analysis.layers, analysis.reach), analysis.distance_bins
            if with_sources:
                sources[name] = _sources_of(analysis).table
            del analysis
    except InputError as error:
        return Copies(problem=str(error))
    return Copies(heads, layers, bins, sources)


def _read_sources(choice: Choice) -> Sources:
    return _sources_of(readings.results(choice) if _read_noise(choice) else readings.first_look(choice))


def _sources_of(analysis: Analysis) -> Sources:
    try:
        return Sources(analysis.sources)
    except InputError as error:
        return Sources(NO_SOURCES, str(error))


def copies_of(choice: Choice) -> Copies:
    """The tables of both copies, which are read here unless a page has them."""
    if choice.spec.copy is not None:
        return Copies()
    begun = (_begun(part, choice) for part in (COPIES, COPIES_WITH_SOURCES))
    return next((one.result() for one in begun if one), None) or _read_copies(choice)


NOISE, ROLES = Part("the noise", _read_noise), Part("stable roles", readings.stable_roles)
SOURCES = Part("what strong pairs read", _read_sources)
COPIES_WITH_SOURCES = Part("what two copies of the model read", partial(_read_copies, with_sources=True))
COPIES = Part("two copies of the model", _read_copies, within=COPIES_WITH_SOURCES)


class Completion:
    """The parts that the page of a choice has asked for. They are read after it is drawn, which is then drawn again."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self.asked = list[Part]()

    def ask(self, part: Part) -> Any | None:
        """What was read of a part; None until it is."""
        if part not in self.asked:
            self.asked.append(part)
        return _known(part, self._choice)

    @property
    def waits(self) -> bool:
        """Whether nothing is read before a button is clicked, since the text is long."""
        return readings.takes_long(self._choice.key) and not any(_begun(one, self._choice) for one in self.asked)

    def complete(self) -> bool:
        """Read what the page has asked for. Returns whether the page must be drawn again to show it."""
        missing = [part for part in self.asked if _known(part, self._choice) is None]
        missing = [part for part in missing if part.within not in missing]
        if not missing:
            return False
        words = " and ".join(part.name for part in missing).replace(" and ", ", ", max(0, len(missing) - 2))
        if self.waits:
            st.button(
                f"Read {words}", key="read-parts", on_click=_begin, args=(missing, self._choice),
                help="The noise takes the reference texts, stable roles nine settings; an untrained copy and one with "
                "shuffled weights read the same text, to be shown in grey. It takes about three times as long as the "
                "text itself.",
            )  # fmt: skip
            return False
        with st.spinner(f"Reading {words}", show_time=True):
            while any(_known(part, self._choice) is None for part in missing):
                _begin(missing, self._choice)
                sleep(LOOK)
        return True


def _key(choice: Choice) -> object:
    """What decides the parts: the text as the model reads it, the settings, and the state of the model's files."""
    return choice.key, choice.settings, readings.last_written(choice.spec)


def _begun(part: Part, choice: Choice) -> Future[Any] | None:
    """The future of a part; None before it is read."""
    one = _futures.get((part.name, _key(choice)))
    return None if one is None or one.cancelled() else one


def _known(part: Part, choice: Choice) -> Any | None:
    """What was read of a part, or of the one that has it; None until it is."""
    one = _begun(part, choice)
    if one and one.done() and not one.cancelled():
        return one.result()
    return _known(part.within, choice) if part.within else None


def _begin(parts: list[Part], choice: Choice) -> None:
    """Read the parts that are not being read; what this session waited for before is cancelled if possible."""
    mine: dict[str, Future[Any]] = st.session_state.setdefault(BEGUN, {})
    for part in parts:
        reading, before = _begun(part, choice), mine.get(part.name)  # before: of a run that a click ended
        if reading is None:
            reading = _futures[part.name, _key(choice)] = _THREAD.submit(part.read, choice)
            if len(_futures) > KEPT:
                _futures.pop(next(iter(_futures)), None)
        if before and before is not reading:
            before.cancel()
        mine[part.name] = reading
