"""A dashboard that is told to end while it reads a text."""

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.browser, pytest.mark.model]


@pytest.mark.parametrize("after", [pytest.param(0.3, marks=pytest.mark.long), 1.5])
def test_it_ends_without_a_traceback(
    chromium: Browser, tmp_path: Path, after: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTN_CORE_CACHE", "off")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "dashboard.py", "--server.headless", "true"]
    with (tmp_path / "log").open("w+") as log:
        server = subprocess.Popen([*command, "--server.port", str(port)], cwd=ROOT, stdout=log, stderr=log)
        try:
            _wait_for(f"http://127.0.0.1:{port}/_stcore/health")
            page = chromium.new_page()
            page.goto(f"http://127.0.0.1:{port}")
            page.wait_for_selector("text=Reading the text")
            time.sleep(after)
            server.send_signal(signal.SIGTERM)
            server.wait(30)
            page.close()
        finally:
            server.kill()
        log.seek(0)
        said = log.read()
    assert "Traceback" not in said and "FATAL" not in said, said
    assert server.returncode in (0, -signal.SIGTERM)


def _wait_for(address: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(address, timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
