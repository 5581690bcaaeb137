"""A model that is not on this machine: one click fetches it, and the page goes on with it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fake_hub import commit, fake_hub
from tests.ui.pages import opened, shown

pytestmark = pytest.mark.usefixtures("tiny_default")


def after_the_click(model: str) -> AppTest:
    app = opened(model=model)
    assert ["not on this machine" in warning.value for warning in app.warning] == [True]
    return next(b for b in app.button if "Download" in b.label and model in b.label).click().run()


def test_one_click_downloads_the_model_and_shows_it(
    hub_at: Callable[[str], None], hub_cache: Path, tiny_folder: Callable[[str], Path]
) -> None:
    with fake_hub("someone/tiny", {"main": tiny_folder("bert")}) as address:
        hub_at(address)
        app = after_the_click("someone/tiny")
    assert not app.warning and not app.error and not app.exception
    assert shown(app).spec.name == "someone/tiny"
    assert (hub_cache / "models--someone--tiny/snapshots" / commit("main")).is_dir()


def test_without_a_hub_the_click_ends_in_one_sentence(hub_at: Callable[[str], None]) -> None:
    hub_at("http://127.0.0.1:9")
    app = after_the_click("someone/lost")
    assert ["cannot be downloaded" in error.value for error in app.error] == [True]
    assert shown(app).title == "Three topics"
    assert not app.exception
