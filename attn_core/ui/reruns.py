"""What one more run of each page costs the server, everything cached: `python -m attn_core.ui.reruns` prints JSON."""

import json
import time
from pathlib import Path
from unittest.mock import patch

from streamlit.testing.v1 import AppTest

from attn_core.ui import prepare
from attn_core.ui.choice import Choice

ROOT = Path(__file__).parents[2]
TIMES = 3


def reruns() -> dict[str, float]:
    """Page -> milliseconds of the fastest of a few runs after the first; head A changes before each."""
    found = {}
    prepared: list[Choice] = []
    with patch.object(prepare, "begin", lambda choice: _prepare_at_once(choice, prepared)):
        for script in [ROOT / "dashboard.py", *sorted((ROOT / "pages").glob("*.py"))]:
            app = AppTest.from_file(str(script), default_timeout=300).run()
            took = []
            for head in range(TIMES):
                app.selectbox(key="a").set_value(f"L1H{head + 2}")
                start = time.perf_counter()
                app.run()
                took.append(1000 * (time.perf_counter() - start))
            found[script.stem] = min(took)
    return found


def _prepare_at_once(choice: Choice, prepared: list[Choice]) -> None:
    """A thread in the background would take its time from the runs that are measured."""
    if choice not in prepared:
        prepared.append(choice)
        for step in prepare.steps(choice):
            step()


if __name__ == "__main__":
    print(json.dumps(reruns()))
