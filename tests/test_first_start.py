"""The dashboard on a machine that never ran Streamlit, with nobody to answer a question."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_it_starts_with_an_empty_home_and_closed_input(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = {**os.environ, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    for set_by_others in [name for name in home if name.startswith("STREAMLIT_")]:
        del home[set_by_others]
    command = [sys.executable, "-m", "streamlit", "run", "dashboard.py", "--server.port", str(port)]
    with (tmp_path / "log").open("w+b") as log:
        server = subprocess.Popen(
            command, cwd=ROOT, env=home | {"BROWSER": "true"}, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        try:
            assert _health(server, port) == b"ok", (tmp_path / "log").read_text()
        finally:
            server.kill()
            server.wait(20)


def _health(server: subprocess.Popen, port: int) -> bytes:
    """The answer of the health page, empty where the server ends before it gives one."""
    while server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5) as answer:
                return answer.read()
        except OSError:
            time.sleep(0.2)
    return b""
