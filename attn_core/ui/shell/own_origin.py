"""Who may speak to the dashboard: this machine under its own name, and of web pages the dashboard's own alone.

Streamlit looks at the name that is asked for only where a page opens its socket, and lets every page of this machine open
it, whatever its port; of a stranger's page it asks an outside service for this machine's address before it refuses. It lets
every page show the dashboard in a frame, where a click on that page is one on the dashboard.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

NAMES = ("localhost", "127.0.0.1", "[::1]")
POLICY = "frame-ancestors 'self'"


class OwnOriginOnly:
    """ASGI middleware: refuses requests under another name, those of pages that are not the dashboard's own, and foreign frames.

    A client without an Origin is no web page and may ask: whoever runs programs on this machine can read the dashboard.
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
