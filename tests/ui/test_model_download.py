"""A model that is not on this machine: one click fetches it, and the page goes on with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.fake_hub import COMMIT, fake_hub

ROOT = Path(__file__).parents[2]
SCRIPT = """
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("dashboard.py", default_timeout=120)
app.query_params["model"] = "someone/tiny"
app.run()
print("WARNING", [w.value for w in app.warning])
next(b for b in app.button if "Download" in b.label and "someone" in b.label).click().run()
print("AFTER", [w.value for w in app.warning], [e.value for e in app.error], [c.value for c in app.caption][0], app.exception)
"""


@pytest.fixture
def tiny(tiny_folder) -> Path:
    return tiny_folder("bert")


def run_app(address: str, cache: Path) -> str:
    environment = {
        **os.environ,
        "HF_ENDPOINT": address,
        "HF_HOME": str(cache),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_OFFLINE": "0",
        "PYTHONPATH": str(ROOT),
    }
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout


@pytest.mark.model
def test_one_click_downloads_the_model_and_shows_it(tiny: Path, tmp_path: Path) -> None:
    with fake_hub("someone/tiny", tiny) as address:
        shown = run_app(address, tmp_path)
    assert "not on this machine" in shown.splitlines()[0]
    after = shown.splitlines()[1]
    assert "AFTER [] []" in after
    assert "tiny" in after
    assert (tmp_path / "hub/models--someone--tiny/snapshots" / COMMIT).is_dir()


@pytest.mark.model
def test_without_a_hub_the_click_ends_in_one_sentence(tmp_path: Path) -> None:
    after = run_app("http://127.0.0.1:9", tmp_path).splitlines()[1]
    assert "does not answer" in after
    assert "Three topics" in after
