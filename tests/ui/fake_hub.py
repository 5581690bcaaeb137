"""A model hub on this machine: the few answers of the Hugging Face hub that a download asks for."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def fake_hub(model: str, folder: Path) -> Iterator[str]:
    """Serve the files of a folder as one model; yields the address."""

    class Hub(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer(body=False)

        def do_GET(self) -> None:
            self.answer(body=True)

        def answer(self, body: bool) -> None:
            path = self.path.split("?")[0]
            if path.startswith(f"/api/models/{model}/tree/"):
                files = [
                    {"type": "file", "path": f.name, "size": f.stat().st_size, "oid": digest(f)}
                    for f in folder.iterdir()
                ]
                return self.send(json.dumps(files).encode(), body, "application/json")
            if path.startswith(f"/api/models/{model}"):
                info = {"id": model, "sha": COMMIT, "siblings": [{"rfilename": f.name} for f in folder.iterdir()]}
                return self.send(json.dumps(info).encode(), body, "application/json")
            if path.startswith(f"/{model}/resolve/") and (file := folder / path.rsplit("/", 1)[1]).is_file():
                return self.send(file.read_bytes(), body, "application/octet-stream", digest(file))
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.end_headers()
            return None

        def send(self, data: bytes, body: bool, kind: str, etag: str = "none") -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("ETag", f'"{etag}"')
            self.end_headers()
            if body:
                self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def digest(file: Path) -> str:
    return hashlib.sha1(file.read_bytes()).hexdigest()
