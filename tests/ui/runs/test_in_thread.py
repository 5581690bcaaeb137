"""Work in a thread: its parts come in order, it stops where it is told to, and says why it could not go on."""

import time
from functools import partial
from threading import Event

import pytest

from attn_core.ui.runs import in_thread
from attn_core.ui.runs.in_thread import Work


def ended(work: Work) -> Work:
    for _ in range(500):
        if not work.at_work:
            return work
        time.sleep(0.01)
    raise AssertionError("it does not end")


def test_parts_come_in_the_order_of_the_steps() -> None:
    work = ended(Work([partial(int, n) for n in range(20)]))
    assert work.parts == list(range(20)) and work.complete and work.share == 1


def test_a_cancelled_work_takes_no_further_step_and_keeps_what_it_has() -> None:
    begun, go_on = Event(), Event()

    def wait() -> str:
        begun.set()
        go_on.wait(5)
        return "done"

    work = Work([wait, lambda: "never"])
    assert begun.wait(5)
    work.cancel()
    go_on.set()
    work._thread.join(5)
    assert work.cancelled and not work.at_work and work.parts == ["done"]


def test_a_slot_works_on_one_thing_at_a_time_and_remembers_what_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_thread.st, "session_state", {})
    go_on = Event()
    first = in_thread.begin("curve", "a text", lambda: [lambda: go_on.wait(5), lambda: 1])
    assert in_thread.begin("curve", "a text", lambda: []) is first
    second = in_thread.begin("curve", "another text", lambda: [lambda: 2])
    assert first.cancelled
    go_on.set()
    assert ended(second).parts == [2]
    third = in_thread.begin("curve", "a text", lambda: [lambda: 3])
    assert ended(third).parts == [3]
    assert in_thread.known("curve", "another text") is second
    assert in_thread.known("band", "a text") is None
