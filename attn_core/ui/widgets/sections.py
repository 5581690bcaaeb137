"""The sections of a page: their headings, and one line below its title that leads to each of them."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

SEEN, BEFORE = "sections", "sections_before"  # in the session: headings of this run, and those of a page's last run
FEWEST = 3  # fewer are seen at a glance


@contextmanager
def contents(page: str) -> Iterator[None]:
    """Draw the line above the headings of a page. What stands in it is known at their end: the last run's stays until then."""
    before = st.session_state.setdefault(BEFORE, {})
    titles = st.session_state[SEEN] = []
    place = st.empty()
    _show(place, before.get(page, []))
    yield
    if titles != before.get(page):
        before[page] = titles
        _show(place, titles)


def _show(place: DeltaGenerator, titles: list[str]) -> None:
    links = [f"[{title}](#{_anchor(number)})" for number, title in enumerate(titles, 1)]
    place.caption(f"On this page: {' · '.join(links)}" if len(titles) >= FEWEST else "")


def section(title: str) -> None:
    """A heading that the line leads to; title: Markdown."""
    seen = st.session_state.setdefault(SEEN, [])
    seen.append(title)
    st.header(title, anchor=_anchor(len(seen)))


def _anchor(number: int) -> str:
    return f"part-{number}"
