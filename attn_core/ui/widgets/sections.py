"""The sections of a page: their headings, and one line below its title that leads to each of them."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

SEEN, BEFORE = "sections", "sections_before"  # in the session: headings of this run, and those of a page's last run
FEWEST = 3  # fewer are seen at a glance


@dataclass(frozen=True)
class Contents:
    """The line of a page. What stands in it is known at the end of a run, so that the last run's stays until then."""

    page: str
    place: DeltaGenerator

    def complete(self) -> None:
        """Call it below the last heading."""
        titles, before = st.session_state[SEEN], st.session_state[BEFORE]
        if titles != before.get(self.page):
            before[self.page] = titles
            self._show(titles)

    def _show(self, titles: list[str]) -> None:
        links = [f"[{title}](#{_anchor(number)})" for number, title in enumerate(titles, 1)]
        self.place.caption(f"On this page: {' · '.join(links)}" if len(titles) >= FEWEST else "")


def begin_contents(page: str) -> Contents:
    """Draw the line here. Call it above the first heading."""
    st.session_state[SEEN] = []
    line = Contents(page, st.empty())
    line._show(st.session_state.setdefault(BEFORE, {}).get(page, []))
    return line


def section(title: str) -> None:
    """A heading that the line leads to; title: Markdown."""
    seen = st.session_state.setdefault(SEEN, [])
    seen.append(title)
    st.header(title, anchor=_anchor(len(seen)))


def _anchor(number: int) -> str:
    return f"part-{number}"
