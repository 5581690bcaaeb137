"""Every control stands in the address, and what the address says is what a page shows."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.models.files import ModelSpec
from tests.quick import quick_only
from tests.ui import pages
from tests.ui.made_study import make_two_studies
from tests.ui.pages import OWN_RULE, ROOT

SCRIPTS = sorted((ROOT / "pages").glob("*.py"))
CHOSEN: dict[str, Any] = {  # where the last option would hide other controls, or leave this machine
    "text": "Six topics of uneven length",
    "model": None,
    "b_model": None,
    "control": "untrained copy",
    "compare_with": "heads removed",
    "pattern": OWN_RULE,
    "study": None,
    "relations": None,
    "revision": None,
    "off": "L1H2 L3",
    "b_off": "L2H1",
    "replace": "zero",
}


@pytest.fixture(scope="module")
def studies(tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study, and one of annotated texts."""
    return make_two_studies(tiny, tmp_path_factory.mktemp("links")) / "studies"


def opened(script: Path, address: dict[str, Any]) -> AppTest:
    given = {name: value if isinstance(value, list) else str(value) for name, value in address.items()}
    app = pages.opened(str(script), **given)
    assert [message.value for message in app.warning] == []
    return app


def another(widget: Any) -> Any:
    """A choice that is not the widget's present one, None where it has no other."""
    if widget.key in CHOSEN:
        return CHOSEN[widget.key]
    match widget.type:
        case "button_group" if isinstance(widget.value, list):
            return widget.options[-1:]
        case "selectbox" | "button_group":
            others = [option for option in widget.options if option != widget.value]
            return others[-1] if others else None
        case "multiselect":
            return widget.options[1:3]
        case "toggle":
            return not widget.value
        case "slider" | "number_input":
            return widget.max if widget.type == "slider" else widget.value + 1
        case "text_input":
            return "the"
    raise AssertionError(f"no choice for {widget.type}")


@pytest.mark.parametrize("script", quick_only(SCRIPTS, SCRIPTS[0]), ids=lambda script: script.stem)
def test_a_page_shows_every_choice_of_its_address(
    script: Path, tiny: ModelSpec, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All controls moved at once, and those that then appear; those of the sidebar on Home alone."""
    if script.stem in ("6_Patterns", "9_Corpus"):
        monkeypatch.setenv("ATTN_CORE_STUDIES", str(request.getfixturevalue("studies")))
    address: dict[str, Any] = {"model": tiny.name, "a": "L2H3"}
    for _ in range(4):
        app = opened(script, address)
        place = app if script.stem == "0_Home" else app.main
        widgets = [
            widget
            for kind in ("selectbox", "button_group", "multiselect", "toggle", "slider", "number_input", "text_input")
            for widget in place.get(kind)
            if widget.key and not widget.disabled and not widget.key.startswith("with-")  # of one token, in no address
        ]
        for widget in widgets:
            if widget.key in address:
                assert widget.value == address[widget.key], widget.key
        more = {w.key: value for w in widgets if w.key not in address and (value := another(w)) is not None}
        if not more:
            return
        address |= more
    raise AssertionError("controls keep appearing")
