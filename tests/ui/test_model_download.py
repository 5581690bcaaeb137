"""A model that is not on this machine: one click fetches it, and the page goes on with it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from huggingface_hub import constants
from streamlit.testing.v1 import AppTest

from tests.ui.fake_hub import COMMIT, fake_hub

pytestmark = pytest.mark.model
ROOT = Path(__file__).parents[2]
Hub = Callable[[str], None]


@pytest.fixture
def hub(hub_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    """Lets the hub's library look for it at an address, with an empty cache."""

    def at(address: str) -> None:
        monkeypatch.setattr(constants, "ENDPOINT", address)
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}"
        )
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)

    return at


def after_the_click(model: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=120)
    app.query_params["model"] = model
    app.run()
    assert ["not on this machine" in warning.value for warning in app.warning] == [True]
    return next(b for b in app.button if "Download" in b.label and model in b.label).click().run()


def test_one_click_downloads_the_model_and_shows_it(
    hub: Hub, hub_cache: Path, tiny_folder: Callable[[str], Path]
) -> None:
    with fake_hub("someone/tiny", tiny_folder("bert")) as address:
        hub(address)
        app = after_the_click("someone/tiny")
    assert not app.warning and not app.error and not app.exception
    assert "tiny" in app.caption[0].value
    assert (hub_cache / "models--someone--tiny/snapshots" / COMMIT).is_dir()


def test_without_a_hub_the_click_ends_in_one_sentence(hub: Hub) -> None:
    hub("http://127.0.0.1:9")
    app = after_the_click("someone/lost")
    assert ["does not answer" in error.value for error in app.error] == [True]
    assert "Three topics" in app.caption[0].value
    assert not app.exception
