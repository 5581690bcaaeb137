"""A running dashboard and a real browser. Without Chromium these tests are skipped, unless REQUIRE_BROWSER is set."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
# On a deep link Streamlit's own client asks for these below the page's path first, and then at the right place.
PROBES = re.compile(r"/_stcore/(health|host-config)$")


@dataclass
class Watched:
    """A page, with what must not happen on it: requests that leave the machine, console errors."""

    page: Page
    base: str
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(self, path: str = "") -> "Watched":
        self.page.goto(f"{self.base}/{path}")
        return self.ready()

    def ready(self) -> "Watched":
        """Wait until the script has run and nothing moves any more."""
        self.page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"] h1', timeout=120_000)
        self.page.wait_for_timeout(700)
        self.page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=120_000)
        return self

    def text(self) -> str:
        return self.page.inner_text('[data-testid="stMain"]')

    def address(self) -> str:
        return self.page.evaluate("location.href")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail("REQUIRE_BROWSER is set and there is no Chromium on the PATH")
        pytest.skip("no Chromium on the PATH (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard that runs for the whole test session."""
    with serving(tmp_path_factory.mktemp("server") / "log") as base:
        yield base


@contextmanager
def serving(log_file: Path, **environment: str) -> Iterator[str]:
    """Run a dashboard; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = log_file.open("w")
    command = [sys.executable, "-m", "streamlit", "run", "dashboard.py", "--server.headless", "true"]
    server = subprocess.Popen(
        [*command, "--server.port", str(port)], cwd=ROOT, stdout=log, stderr=log, env={**os.environ, **environment}
    )
    base = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{base}/_stcore/health", timeout=1).read()
                break
            except OSError:
                time.sleep(0.1)
        yield base
    finally:
        server.terminate()
        server.wait(20)
        log.close()


@pytest.fixture
def tab(chromium: Browser, dashboard: str) -> Iterator[Watched]:
    """A fresh session in the browser; afterwards nothing has left the machine and the console is clean."""
    context = chromium.new_context(viewport={"width": 1440, "height": 1000}, accept_downloads=True)
    watched = watch(context.new_page(), dashboard)
    yield watched
    context.close()
    assert watched.outside == []
    assert watched.errors == []


def watch(page: Page, base: str) -> Watched:
    """Note what leaves the machine and what the console complains of."""
    watched = Watched(page, base)

    def on_request(request: object) -> None:
        if not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:", request.url):  # type: ignore[attr-defined]
            watched.outside.append(request.url)  # type: ignore[attr-defined]

    def on_console(message: object) -> None:
        if message.type == "error" and not PROBES.search(message.location.get("url", "")):  # type: ignore[attr-defined]
            watched.errors.append(message.text)  # type: ignore[attr-defined]

    page.on("request", on_request)
    page.on("console", on_console)
    page.on("pageerror", lambda error: watched.errors.append(str(error)))
    return watched
