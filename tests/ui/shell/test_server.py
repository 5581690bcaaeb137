"""What the server does when it starts, in a process of its own."""

import subprocess
import sys

import pytest

from tests.served import ROOT

SCRIPT = """
import asyncio, gc, sys, threading
from streamlit import config
config.set_option("server.headless", True)
from attn_core.ui.shell.server import open_browser
assert "attn_core.ui.readings" not in sys.modules

async def start():
    async with open_browser(None):
        for thread in threading.enumerate():
            thread is threading.main_thread() or thread.join()
        from attn_core.models import files, loading
        from attn_core.ui import readings
        assert "torch" in sys.modules and gc.isenabled() and gc.get_freeze_count() > 10 * len(gc.get_objects())
        loading.load = None
        assert readings.model(files.default_spec()).layers

asyncio.run(start())
"""
BEFORE = """
import sys
import attn_core.ui.shell.navigation
assert not {"torch", "transformers", "sklearn", "nltk"} & sys.modules.keys(), sys.modules.keys()
"""


@pytest.mark.long
def test_torch_is_imported_and_the_model_loaded_before_anyone_asks() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, check=True, capture_output=True, timeout=120)


def test_a_page_draws_its_title_before_torch_is_there() -> None:
    subprocess.run([sys.executable, "-c", BEFORE], cwd=ROOT, check=True, capture_output=True, timeout=60)
