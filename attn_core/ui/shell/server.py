"""What the server of the dashboard does besides Streamlit's own: it answers to its own pages, keeps what it shows, and opens a
browser."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from threading import Thread

from starlette.middleware import Middleware
from streamlit import cli_util, config
from streamlit.runtime import runtime
from streamlit.starlette import App

from attn_core.ui.shell.own_origin import OwnOriginOnly
from attn_core.ui.shell.shown_downloads import ShownDownloads

GUARDS = [Middleware(OwnOriginOnly)]
runtime.MediaFileManager = ShownDownloads  # type: ignore[misc]  # of which the server makes one; there is no option for it


def _import_home() -> None:
    """Without looking for garbage meanwhile, of which there is none: a fifth of the time."""
    gc.disable()
    try:
        import_module("attn_core.ui.home.page")
    finally:
        gc.freeze()
        gc.enable()


@asynccontextmanager
async def open_browser(_app: App) -> AsyncIterator[None]:
    """Open the dashboard in a browser when the server starts, as Streamlit does for a script that is no app of its own.

    What Home needs is imported meanwhile: the browser takes as long to load what draws it.
    """
    Thread(target=_import_home, daemon=True).start()
    if not config.get_option("server.headless"):
        cli_util.open_browser(f"http://localhost:{config.get_option('server.port')}")
    yield
