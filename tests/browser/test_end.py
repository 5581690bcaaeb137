"""A dashboard that is told to end while it reads a text."""

import os
import signal
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.served import served

pytestmark = [pytest.mark.browser, pytest.mark.model]


@pytest.mark.long
def test_it_ends_without_a_traceback(chromium: Browser, tmp_path: Path) -> None:
    with served(tmp_path / "log", os.environ | {"ATTN_CORE_CACHE": "off"}) as server:
        page = chromium.new_page()
        page.goto(server.base)
        page.wait_for_selector("text=Reading the text")
        time.sleep(1.5)
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(30)
        page.close()
    said = (tmp_path / "log").read_text()
    assert "Traceback" not in said and "FATAL" not in said, said
    assert server.process.returncode in (0, -signal.SIGTERM)
