"""A dashboard in a process of its own, for whoever asks it as a browser does."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADLESS = ("--server.headless", "true")


@dataclass(frozen=True)
class Served:
    """A dashboard that runs."""

    process: subprocess.Popen
    port: int

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answers(self) -> bool:
        """Whether it says that it is well."""
        try:
            with urllib.request.urlopen(f"{self.base}/_stcore/health", timeout=5) as answer:
                return answer.read() == b"ok"
        except OSError:
            return False


@contextmanager
def served(
    log: Path, environment: Mapping[str, str] = os.environ, script: str = "dashboard.py", options: tuple = HEADLESS
) -> Iterator[Served]:
    """Run a dashboard as the README does; by the beginning of the block it answers, or has ended."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port), *options]
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
        try:
            one = Served(process, port)
            while process.poll() is None and not one.answers():
                time.sleep(0.1)
            yield one
        finally:
            process.terminate()
            process.wait(60)
