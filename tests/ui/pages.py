"""Pages as a session sees them: opened by an address, healthy, at rest."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, app_test

from attn_core.texts.documents import samples
from attn_core.ui.readings import Choice
from attn_core.ui.shell.page import LAST
from attn_core.ui.shell.text_source import OWN
from tests.quick import quick_only

ROOT = Path(__file__).parents[2]
PAGES = sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py"))
MARKED_PAIRS, OWN_RULE = "Pairs that I mark", "A rule of my own"  # patterns of Patterns that are not in RULES
NO_TEXT = ("Corpus",)  # which reads none, and has no choice of one


class _Navigated(PagesManager):
    """Pages by st.navigation from the first run on, as dashboard.py has it where a server imports it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        PagesManager.uses_pages_directory = False
        super().__init__(*args, **kwargs)


app_test.PagesManager = _Navigated  # type: ignore[misc]


def visit(page: str | Callable[..., None] = "pages/0_Home.py", /, *arguments: object, **address: Any) -> AppTest:
    """A new session at an address, which has not run yet. page: a script, or a function with its arguments."""
    if isinstance(page, str):
        app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=240)
        if Path(page).name != "0_Home.py":  # which is shown first
            app.switch_page(str(Path(page)))
    else:
        app = AppTest.from_function(page, default_timeout=240, args=arguments)
    for name, value in address.items():
        app.query_params[name] = value
    return app


def opened(page: str | Callable[..., None] = "pages/0_Home.py", /, *arguments: object, **address: Any) -> AppTest:
    """The page of such a session, which raises nothing."""
    app = visit(page, *arguments, **address).run()
    assert not app.exception
    return app


def text_of(title: str) -> str:
    """That of a sample."""
    return next(sample.text for sample in samples() if sample.title == title)


def shown(app: AppTest) -> Choice:
    """What a page shows: model, text and settings."""
    return app.session_state[LAST]


def described(app: AppTest, part: str) -> str:
    """The description of the first chart that has this in it."""
    return next(one.proto.alt for one in app.get("vega_lite_chart") if part in one.proto.alt)


def paste(app: AppTest, text: str) -> AppTest:
    """A text of the user's own is pasted into the sidebar."""
    if app.session_state["text"] != OWN:
        app.selectbox(key="text").set_value(OWN).run()
    return app.text_area(key="own_text").set_value(text).run()


def upload(app: AppTest, name: str, data: bytes) -> AppTest:
    app.selectbox(key="text").set_value(OWN).run()
    return app.file_uploader(key="upload").set_value((name, data, "text/plain")).run()


def healthy(app: AppTest) -> bool:
    return not app.exception and not app.warning and not app.error


def quick_only_on(*pages: str, without: Sequence[str] = ()) -> list[Any]:
    """All pages, those that are not named only in the long tests. without: parts of the names of those left out."""
    return quick_only([page for page in PAGES if not any(part in page for part in without)], *pages)
