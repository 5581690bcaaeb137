"""What one more run of each page costs the server, everything cached: `python -m attn_core.ui.caches.reruns` prints JSON."""

import json
import time
from unittest.mock import patch

from streamlit.testing.v1 import AppTest

from attn_core.io.paths import PROJECT
from attn_core.ui.caches import prefetch
from attn_core.ui.choice import Choice

HEADS = ("L1H2", "L1H3", "L1H4")


def reruns() -> dict[str, float]:
    """Page -> milliseconds of the fastest of a few runs; head A changes before each, to one that was head A before."""
    seconds = {}
    prepared: list[Choice] = []
    with patch.object(prefetch, "begin", lambda choice: _prepare_at_once(choice, prepared)):
        for script in [PROJECT / "dashboard.py", *sorted((PROJECT / "pages").glob("*.py"))]:
            app = AppTest.from_file(str(script), default_timeout=300).run()
            took = []
            for head in HEADS + HEADS:
                app.selectbox(key="a").set_value(head)
                start = time.perf_counter()
                app.run()
                took.append(1000 * (time.perf_counter() - start))
            seconds[script.stem] = min(took[len(HEADS) :])
    return seconds


def _prepare_at_once(choice: Choice, prepared: list[Choice]) -> None:
    """A thread in the background would take its time from the runs that are measured."""
    if choice not in prepared:
        prepared.append(choice)
        for step in prefetch.steps(choice):
            step()


if __name__ == "__main__":
    print(json.dumps(reruns()))
