"""What the server of the dashboard does beside Streamlit's own work: it imports what pages need, opens a browser, and
refuses requests that other web pages make.

Streamlit checks the host name only where a page opens its socket. It accepts a socket from every page of this machine,
whatever its port, and asks an outside service for this machine's address before it refuses a foreign page. It also lets
every page show the dashboard in a frame.
"""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from threading import Thread
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import cli_util, config
from streamlit.starlette import App

from attn_core.errors import InputError

NAMES = ("localhost", "127.0.0.1", "[::1]")
POLICY = "frame-ancestors 'self'"


class OwnOriginOnly:
    """ASGI middleware: refuses requests under another host name, those of other web pages, and foreign frames.

    A client without an Origin is no web page: whoever runs programs on this machine may read the dashboard.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with 403, a socket before it opens."""

        async def send_unframed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Content-Security-Policy"] = POLICY
            await send(message)

        if scope["type"] not in ("http", "websocket") or is_own(Headers(scope=scope)):
            await self._app(scope, receive, send_unframed)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
        else:
            await PlainTextResponse("The dashboard answers to its own pages only.", 403)(scope, receive, send_unframed)


def is_own(headers: Headers) -> bool:
    """Whether a request names this machine as its host, and as its origin, where it has one, the same host and port."""
    host = headers.get("host", "").lower()
    name, _, port = host.rpartition(":") if not host.endswith("]") and ":" in host else (host, "", "")
    if name not in NAMES or not (port.isdecimal() or port == ""):
        return False
    origin = headers.get("origin")
    return origin is None or (urlsplit(origin.lower()).scheme == "http" and urlsplit(origin.lower()).netloc == host)


GUARDS = [Middleware(OwnOriginOnly)]


def _get_ready() -> None:
    """Import what every page needs, then torch and transformers, then load the model that a session begins with.

    A page draws its title and sidebar after the first, and waits for the rest (`attn_core.tensors` says why one thread
    imports it). Garbage is not collected meanwhile, which saves a fifth of the time, nor later among what was imported,
    which saves half a second after every run of a page.
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
