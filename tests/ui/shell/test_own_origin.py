"""The dashboard starts where Streamlit never ran, and it answers to its own pages only."""

import http.client
import os
import re
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest
from starlette.datastructures import Headers

from attn_core.ui.shell.server import is_own
from tests.served import ROOT, served

SOCKET = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "streamlit",
}  # fmt: skip
OWN = "127.0.0.1:8501"


IS_OWN = [(OWN, None), (OWN, f"http://{OWN}"), ("LOCALHOST:8501", "http://localhost:8501"), ("localhost", None),
    ("[::1]:8501", "http://[::1]:8501")]  # fmt: skip
IS_NOT = [
    *((OWN, origin) for origin in ("http://127.0.0.1:9999", "http://localhost:8501", f"https://{OWN}", "null",
        "http://evil.example", f"http://{OWN}@evil.example")),
    ("evil.example:8501", "http://evil.example:8501"),
    *((host, None) for host in ("evil.example", "127.0.0.1.evil.example:8501", "evil@127.0.0.1:8501", "127.0.0.1:x")),
    ("", None),
]  # fmt: skip


@pytest.mark.parametrize(("host", "origin"), [*IS_OWN, *IS_NOT])
def test_a_request_is_the_dashboards_own(host: str, origin: str | None) -> None:
    given = {"host": host} | ({"origin": origin} if origin else {})
    assert is_own(Headers(given)) is ((host, origin) in IS_OWN)
    assert not is_own(Headers({}))


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where a dashboard runs as the README says, with an empty home and closed input."""
    folder = tmp_path_factory.mktemp("served")
    set_by_nobody = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    home = {"HOME": str(folder), "USERPROFILE": str(folder), "BROWSER": "true"}
    with served(folder / "log", set_by_nobody | home, _named_in_readme(), options=()) as server:
        assert server.answers(), (folder / "log").read_text()
        yield server.port


def _named_in_readme() -> str:
    (script,) = {
        line.split()[-1]
        for line in (ROOT / "README.md").read_text("utf-8").splitlines()
        if line.startswith("streamlit run")
    }
    assert f"streamlit run {script}\n" in (ROOT / "Makefile").read_text("utf-8")
    return script


def answer(port: int, path: str, headers: dict[str, str]) -> int:
    """The status of a request."""
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall("\r\n".join(lines).encode())
        return int(client.recv(100).split()[1])


def test_pages_and_the_socket_open_for_its_own_pages_only(port: int) -> None:
    for origin, opens in ((f"http://127.0.0.1:{port}", True), ("http://evil.example", False)):
        headers = {"Host": f"127.0.0.1:{port}", "Origin": origin}
        assert answer(port, "/", headers | {"Connection": "close"}) == (200 if opens else 403)
        assert answer(port, "/_stcore/stream", headers | SOCKET) == (101 if opens else 403)


def test_no_answer_may_be_framed_by_another_page(port: int) -> None:
    """The index page, what it loads, what Streamlit answers of itself, what is not there, and what is refused."""

    def asked(path: str, **headers: str) -> tuple[int, str, list[str]]:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as client:
            client.request("GET", path, headers=headers)
            answer = client.getresponse()
            policies = answer.headers.get_all("Content-Security-Policy", [])
            return answer.status, answer.read().decode("utf-8", "replace"), policies

    script = re.search(r"static/[^\"]+\.js", asked("/")[1])
    assert script
    for path in ("/", "/Heads", f"/{script[0]}", "/_stcore/health", "/media/none.png", "/component/none/index.html"):
        assert asked(path)[2] == ["frame-ancestors 'self'"], path
    assert asked("/", Host="evil.example")[::2] == (403, ["frame-ancestors 'self'"])
