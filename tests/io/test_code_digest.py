"""The digest of a program is found by several threads at once: pages and what counts in the background ask for it together."""

import gc
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from attn_core.io.code_digest import covered
from attn_core.runs.kinds import KINDS


class Garbage:
    """What other code leaves behind: a cycle whose end lets other threads go on in the middle of a parse."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        time.sleep(0.0001)


@pytest.fixture
def littered():
    """Garbage is made, and collected, all the time."""
    usual, over = gc.get_threshold(), Event()

    def litter() -> None:
        while not over.wait(0.001):
            Garbage()

    gc.set_threshold(200, 1, 1)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(litter)
        yield
        over.set()
    gc.set_threshold(*usual)


@pytest.mark.usefixtures("littered")
def test_threads_that_parse_at_once_break_none() -> None:
    counting = KINDS["study"].counting
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: covered(counting), range(6)))
    assert found == [covered(counting)] * 6
