"""The dashboard: how long a start takes, and one more run of each page."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from attn_core.benchmark.rounds import Row
from attn_core.models.files import ModelSpec, locate

STARTS = 2


def rows_of_starts(folder: Path) -> Iterator[Row]:
    """From the start of the dashboard to its first chart, beside importing torch and transformers, a load and a pass.

    first: the first start after the set-up, which has read the first text (`make run` does); later: the next one.
    """
    model = str(locate(ModelSpec()))
    bare = (
        "import time; start = time.perf_counter(); import torch; from transformers import AutoModel, AutoTokenizer; "
        f"tokens = AutoTokenizer.from_pretrained({model!r})('The tide rose.', return_tensors='pt'); "
        f"AutoModel.from_pretrained({model!r}).eval()(**tokens); print(time.perf_counter() - start)"
    )
    seconds: dict[str, list[float]] = {"bare": [], "first": [], "later": []}
    for number in range(STARTS):
        environment = {**os.environ, "ATTN_CORE_CACHE": str(folder / f"start-{number}")}
        subprocess.run(
            [sys.executable, "-m", "attn_core", "cache", "--first"], env=environment, capture_output=True, check=True
        )
        for name in seconds:
            code = ["-c", bare] if name == "bare" else ["-m", "attn_core.benchmark.first_chart"]
            ran = subprocess.run([sys.executable, *code], env=environment, capture_output=True, text=True, check=True)
            seconds[name].append(float(ran.stdout.splitlines()[-1]))
    least = {name: min(all_seconds) for name, all_seconds in seconds.items()}
    yield "import of torch and transformers, a load, a pass", f"{least['bare']:.1f} s", "1.00 x", ""
    for name, target in (("first", "<= 1.0 x"), ("later", "<= 0.9 x")):
        ratio = f"{least[name] / least['bare']:.2f} x"
        yield f"{name} start of the dashboard to its first chart", f"{least[name]:.1f} s", ratio, target


def rows_of_reruns() -> Iterator[Row]:
    """Seconds of the server for one more run of each page, everything cached."""
    ran = subprocess.run(
        [sys.executable, "-m", "attn_core.ui.caches.reruns"], capture_output=True, text=True, check=True
    )
    for page, milliseconds in json.loads(ran.stdout.splitlines()[-1]).items():
        yield f"page {page}, one more run on the server", f"{milliseconds:.0f} ms", "", "<= 150 ms"
