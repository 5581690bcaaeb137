"""What one more run of each page costs the server, everything cached: `python -m attn_core.ui.reruns` prints JSON."""

import json
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
TIMES = 3


def reruns() -> dict[str, float]:
    """Page -> milliseconds of the fastest of a few runs after the first; head A changes before each."""
    found = {}
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


if __name__ == "__main__":
    print(json.dumps(reruns()))
