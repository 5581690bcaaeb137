"""What the server of the dashboard does besides Streamlit's own: it answers to its own pages, opens a browser, and gets ready
meanwhile.
"""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from threading import Thread

from starlette.middleware import Middleware
from streamlit import cli_util, config
from streamlit.starlette import App

from attn_core.errors import InputError
from attn_core.ui.shell.own_origin import OwnOriginOnly

GUARDS = [Middleware(OwnOriginOnly)]


def _get_ready() -> None:
    """Import what every page needs, then torch and transformers, then load the model that a session begins with.

    A page draws its title and sidebar after the first, and waits for the rest (`attn_core.tensors` says why one thread
    imports it). No garbage is looked for meanwhile, of which there is none: a fifth of the time. Nor is it later among what
    was imported, after every run of a page: half a second each.
    """
    gc.disable()
    try:
        import_module("attn_core.ui.shell.navigation")
        import_module("attn_core.tensors")
    finally:
        gc.freeze()
        gc.enable()
    readings, files = import_module("attn_core.ui.readings"), import_module("attn_core.models.files")
    with suppress(InputError):  # the page says why
        readings.model(files.default_spec())


@asynccontextmanager
async def open_browser(_app: App) -> AsyncIterator[None]:
    """Open the dashboard in a browser when the server starts, as Streamlit does for a script that is no app of its own.

    The server gets ready meanwhile: the browser takes as long to load what draws it.
    """
    Thread(target=_get_ready, name="gets ready", daemon=True).start()
    if not config.get_option("server.headless"):
        cli_util.open_browser(f"http://localhost:{config.get_option('server.port')}")
    yield
