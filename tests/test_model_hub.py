"""Downloads: the hub is played by a server on this machine."""

import hashlib
import http.server
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants
from tqdm.auto import tqdm

from attn_core import model_hub
from attn_core.errors import ModelError
from attn_core.model_files import WEIGHTS, ModelSpec, is_here, locate
from attn_core.model_hub import download
from attn_core.models import load
from tests.test_models import COMMIT, pickled

Hub = Callable[..., list[str]]


@pytest.fixture
def hub(hub_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Call it with a folder to serve as some-one/tiny, or with a status and the hub's code for an error."""
    served: dict[str, Any] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, folder = self.path.split("?")[0], served.get("folder")
            if "error" in served:
                self.answer(b"{}", served["error"][0], {"X-Error-Code": served["error"][1]})
            elif path.startswith("/api/models/some-one/tiny/tree/"):
                files = [file for file in folder.rglob("*") if file.is_file()]
                listed = [
                    {"type": "file", "path": str(f.relative_to(folder)), "size": f.stat().st_size, "oid": oid(f)}
                    for f in files
                ]
                self.answer(json.dumps(listed).encode())
            elif path.startswith("/api/models/some-one/tiny"):
                self.answer(json.dumps({"id": "some-one/tiny", "sha": COMMIT, "siblings": []}).encode())
            elif not path.startswith("/some-one/tiny/resolve/"):
                self.answer(b"{}", 404)
            else:
                file = folder / path.split("/", 5)[5]
                asked.append(str(file.relative_to(folder)))
                self.answer(file.read_bytes(), headers={"ETag": f'"{oid(file)}"', "X-Repo-Commit": COMMIT})

        do_HEAD = do_GET

        def answer(self, body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    def oid(file: Path) -> str:
        return hashlib.sha1(file.read_bytes(), usedforsecurity=False).hexdigest()

    asked: list[str] = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(constants, "ENDPOINT", address)
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace("https://huggingface.co", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)

    def play(folder: Path | None = None, error: tuple[int, str] | None = None) -> list[str]:
        served.update({"folder": folder} if folder else {"error": error})
        return asked

    yield play
    server.shutdown()
    server.server_close()


def test_a_model_is_downloaded_with_progress_and_then_here(hub: Hub, tiny_bert_folder: Path) -> None:
    for unwanted in ("pytorch_model.bin", "tf_model.h5", "README.md", "code.py"):
        (tiny_bert_folder / unwanted).write_text("unwanted")
    shutil.copytree(tiny_bert_folder, tiny_bert_folder.parent / "copy").rename(tiny_bert_folder / "onnx")
    asked = hub(tiny_bert_folder)
    seen: list[float] = []

    class Progress(tqdm):  # type: ignore[type-arg]
        def update(self, n: float | None = 1) -> bool | None:
            seen.append(n or 0)
            return super().update(n)

    spec = ModelSpec("some-one/tiny")
    assert not is_here(spec)
    folder = download(spec, Progress)
    assert is_here(spec)
    assert locate(spec) == folder
    assert load(spec).revision == COMMIT
    assert set(asked) == {"config.json", WEIGHTS, "tokenizer.json", "tokenizer_config.json"}
    assert sum(seen) >= (tiny_bert_folder / WEIGHTS).stat().st_size


def test_a_model_that_is_pickled_on_the_hub_is_refused(hub: Hub, tiny_bert_folder: Path) -> None:
    pickled(tiny_bert_folder)
    hub(tiny_bert_folder)
    with pytest.raises(ModelError, match="no safetensors weights on the Hugging Face hub"):
        download(ModelSpec("some-one/tiny"))
    assert not is_here(ModelSpec("some-one/tiny"))


@pytest.mark.parametrize(
    ("status", "code", "says"),
    [
        (401, "RepoNotFound", "has no model some-one/tiny, or does not show it without a login"),
        (404, "RepoNotFound", "has no model some-one/tiny"),
        (403, "GatedRepo", "some-one/tiny is gated: ask for access"),
        (404, "RevisionNotFound", "some-one/tiny has no revision v7"),
        (500, "", "the Hugging Face hub answers with an error .*500 Internal Server Error"),
    ],
)
def test_what_the_hub_refuses_is_one_sentence(hub: Hub, status: int, code: str, says: str) -> None:
    hub(error=(status, code))
    with pytest.raises(ModelError, match=says) as caught:
        download(ModelSpec("some-one/tiny", "v7"))
    assert str(caught.value).count("\n") == 0


def test_a_hub_that_cannot_be_reached_is_one_sentence(hub_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match="^some-one/tiny cannot be downloaded: the Hugging Face hub does not answer.$"):
        download(ModelSpec("some-one/tiny"))


@pytest.mark.timeout(60)
def test_a_hub_that_takes_calls_but_never_answers_is_given_up(hub_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as silent:
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{silent.server_port}")
        monkeypatch.setattr(model_hub, "SECONDS", 0.2)
        with pytest.raises(ModelError, match="does not answer"):
            download(ModelSpec("some-one/tiny"))
