"""How the tests are run: in a home of their own, by which worker. Their fixtures are those of tests/fixtures.py."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

# Before torch is imported. On a busy machine its threads wait for each other, and tiny models take ten times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Oracles compute on the CPU. The GPU has tests of its own: `make test-cuda`, which names the card.
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
# Before any library looks for its corner there: a home of the tests' own, which the workers of one run share.
if "PYTEST_XDIST_WORKER" not in os.environ:
    home = tempfile.mkdtemp(prefix="home-of-tests-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    os.environ |= {
        "HOME": home,
        "USERPROFILE": home,
        "XDG_CACHE_HOME": f"{home}/.cache",
        "XDG_DATA_HOME": f"{home}/.data",
    }
    for name in ("HF_HOME", "HF_HUB_CACHE"):
        os.environ.pop(name, None)

BROWSER = "tests/browser/"
SHARED = {"tests/runs/test_damage.py": "tests/runs/test_contract.py"}  # read runs that take seconds to make
SLOW = ("browser", "ui", "study", "segmentation", "commands", "test_installed.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what takes whole pages, processes or corpora, by where it lies: `make quick` leaves it out."""
    for item in items:
        if item.path.relative_to(Path(__file__).parent).parts[0] in SLOW:
            item.add_marker("slow")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file's tests stay in one worker, for its models, with those that share more; all of the browser in one."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return BROWSER if file.startswith(BROWSER) else SHARED.get(file, file)

    return ByFile(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures where tests run: the process that hands tests to workers needs no torch, and begins sooner."""
    if config.getoption("dist", "no") == "no":
        config.pluginmanager.import_plugin("tests.fixtures")
