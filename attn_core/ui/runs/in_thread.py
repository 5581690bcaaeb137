"""Work of a session in a thread: its steps one after the other, what they gave so far, and a way to stop it.

For what takes a few seconds to a minute and is of no use to anybody else; a study has a process of its own (`background`).
"""

import atexit
from collections.abc import Callable, Hashable, Sequence
from threading import Event, Lock, Thread
from typing import Any

import streamlit as st

from attn_core.errors import InputError
from attn_core.ui.widgets.escape import plain

PATIENCE = 1.0  # seconds between two looks at how far it is
WORKS = "works"  # in the session
KEPT = 24  # works that are done
_one_step_at_a_time = Lock()  # of all works, so that a short one comes in between the steps of a long one
_ending = Event()


class Work:
    """Steps that are taken in a thread. parts: what they gave so far, in their order. problem: why it could not go on."""

    def __init__(self, steps: Sequence[Callable[[], Any]]) -> None:
        self.steps, self.parts, self.problem = steps, list[Any](), ""
        self._cancelled = Event()
        self._thread = Thread(target=self._go, daemon=True)
        self._thread.start()

    @property
    def complete(self) -> bool:
        return len(self.parts) == len(self.steps)

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set() and not self.complete

    @property
    def at_work(self) -> bool:
        return self._thread.is_alive() and not (self.complete or self.cancelled or self.problem)

    @property
    def share(self) -> float:
        """How much of it is done."""
        return len(self.parts) / len(self.steps) if self.steps else 1.0

    def cancel(self) -> None:
        """Take no further step."""
        self._cancelled.set()

    def _go(self) -> None:
        for step in self.steps:
            with _one_step_at_a_time:
                if self._cancelled.is_set() or _ending.is_set():
                    return
                try:
                    self.parts.append(step())
                except InputError as error:
                    self.problem = str(error)
                    return
                except Exception:
                    self.problem = "This ended with an error of the program: the terminal that it runs in shows it."
                    raise


def known(slot: str, of: Hashable) -> Work | None:
    """The work of a slot on something, None where none was begun; whatever the slot does on something else is stopped."""
    works: dict[tuple[str, Hashable], Work] = st.session_state.setdefault(WORKS, {})
    for key, work in list(works.items()):
        if key[0] == slot and key[1] != of and not work.complete:
            work.cancel()
            del works[key]
    return works.get((slot, of))


def begin(slot: str, of: Hashable, steps: Callable[[], Sequence[Callable[[], Any]]]) -> Work:
    """The same, begun where it was not, and begun anew where it was cancelled."""
    work = known(slot, of)
    if work is None or work.cancelled:
        works = st.session_state[WORKS]
        work = works[slot, of] = Work(steps())
        for key in [key for key, one in works.items() if one.complete][:-KEPT]:
            del works[key]
    return work


def watched(work: Work, draw: Callable[[Work], None]) -> None:
    """Draw what a work gave so far, again and again until it is done; then the page is run once more, for the whole of it."""
    at_work = work.at_work
    st.fragment(_look, run_every=PATIENCE if at_work else None)(work, draw, at_work)


def progress(work: Work, doing: str, key: str) -> None:
    """A bar with a button that cancels; why it ended, where it did not end well. doing: what is done, in words."""
    if work.problem:
        st.caption(f":material/info: {plain(work.problem)}")
    elif work.cancelled:
        st.caption(f":material/cancel: Cancelled after {len(work.parts)} of {len(work.steps)} steps.")
    elif not work.complete:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(work.share, f"{doing}: {len(work.parts)} of {len(work.steps)}")
            st.button("Cancel", key=f"cancel-{key}", icon=":material/close:", type="tertiary", on_click=work.cancel)


def _look(work: Work, draw: Callable[[Work], None], was_at_work: bool) -> None:
    if was_at_work and not work.at_work:
        st.rerun()
    draw(work)


@atexit.register
def _end() -> None:
    """Wait for the step at work: a thread that the end of the program meets inside torch would abort it."""
    _ending.set()
    with _one_step_at_a_time:
        pass
