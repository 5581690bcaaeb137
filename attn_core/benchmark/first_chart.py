"""Seconds from the start of a dashboard to its first chart: `python -m attn_core.benchmark.first_chart` prints them.

In a headless Chromium where playwright and Chromium are installed, else until Streamlit's AppTest has run the page.
"""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

from attn_core.io.paths import PROJECT

CHART = '[class*="st-key-chart-"] :is(svg path, canvas)'  # one that `show.chart` has drawn
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
LIMIT = 300  # seconds
ENDS = 60  # seconds for what is being prepared


def seconds() -> float:
    """The seconds, in a browser where there is one."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return _without_a_browser()
    if chromium is None:
        return _without_a_browser()
    with sync_playwright() as playwright, socket.socket() as probe:
        page = playwright.chromium.launch(executable_path=chromium, args=FLAGS).new_page()
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        start = time.perf_counter()
        command = [sys.executable, "-m", "streamlit", "run", "dashboard.py", "--server.headless", "true"]
        server = subprocess.Popen(
            [*command, "--server.port", str(port)], cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}")
            page.goto(f"http://127.0.0.1:{port}")
            page.wait_for_selector(CHART, timeout=1000 * LIMIT)
            return time.perf_counter() - start
        finally:
            page.close()  # a server may wait for those who look at it
            server.terminate()
            server.wait(ENDS)


def _wait_for(address: str) -> None:
    for _ in range(20 * LIMIT):
        with suppress(OSError):
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            return
        time.sleep(0.05)


def _without_a_browser() -> float:
    script = (
        "from streamlit.testing.v1 import AppTest; "
        f"assert not AppTest.from_file({str(PROJECT / 'dashboard.py')!r}, default_timeout={LIMIT}).run().exception"
    )
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    print(seconds())
