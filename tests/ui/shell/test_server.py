"""What the server does when it starts, in a process of its own."""

import subprocess
import sys

from tests.served import ROOT

SCRIPT = """
import asyncio, gc, sys, threading
from streamlit import config
config.set_option("server.headless", True)
from attn_core.ui.shell.server import open_browser
HOME = "attn_core.ui.home.page"
assert HOME not in sys.modules

async def start():
    async with open_browser(None):
        for thread in threading.enumerate():
            thread is threading.main_thread() or thread.join()
        assert HOME in sys.modules and "torch" not in sys.modules and gc.isenabled()

asyncio.run(start())
"""


def test_home_is_imported_before_anyone_asks_for_it_and_torch_is_not() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, check=True, capture_output=True, timeout=60)
