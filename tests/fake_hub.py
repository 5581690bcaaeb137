"""A model hub on this machine: the few answers of the Hugging Face hub that a download asks for."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@contextmanager
def fake_hub(
    model: str, revisions: Mapping[str, Path], refusal: tuple[int, str] | None = None, fetched: list[str] | None = None
) -> Iterator[str]:
    """Serve the files of a folder a revision as one model; yields the address.

    refusal: a status and the hub's code, with which everything is answered. fetched: takes the names of the files sent.
    """
    known = answers(model, dict(revisions) | {commit(revision): folder for revision, folder in revisions.items()})

    class Hub(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            asked = self.path.split("?")[0]
            revision, data = known.get(asked, ("main", b""))
            status, code = refusal or ((200, "") if asked in known else (404, "RepoNotFound"))
            self.send_response(status)
            for name, value in {
                "X-Error-Code": code, "X-Repo-Commit": commit(revision), "ETag": f'"{digest(data)}"',
                "Content-Type": "application/json", "Content-Length": str(len(data)),
            }.items():  # fmt: skip
                if value and (status == 200 or name == "X-Error-Code"):
                    self.send_header(name, value)
            self.end_headers()

        def do_GET(self) -> None:
            self.do_HEAD()
            asked = self.path.split("?")[0]
            if asked in known and not refusal:
                self.wfile.write(known[asked][1])
                if "/resolve/" in asked and fetched is not None:
                    fetched.append(asked.split("/resolve/")[1].partition("/")[2])

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def answers(model: str, folders: Mapping[str, Path]) -> dict[str, tuple[str, bytes]]:
    """What is answered to each path: the revision that it is of, and the data."""
    known = {}
    for revision, folder in folders.items():
        files = {f.relative_to(folder).as_posix(): f.read_bytes() for f in folder.rglob("*") if f.is_file()}
        tree = [{"type": "file", "path": name, "size": len(data), "oid": digest(data)} for name, data in files.items()]
        about = {"id": model, "sha": commit(revision), "siblings": [{"rfilename": name} for name in files]}
        known[f"/api/models/{model}/tree/{revision}"] = revision, json.dumps(tree).encode()
        known[f"/api/models/{model}/revision/{revision}"] = revision, json.dumps(about).encode()
        known |= {f"/{model}/resolve/{revision}/{name}": (revision, data) for name, data in files.items()}
    if "main" in folders:
        known[f"/api/models/{model}"] = known[f"/api/models/{model}/revision/main"]
    return known


def digest(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


def commit(revision: str) -> str:
    """The commit that a revision's name stands for; a commit stands for itself."""
    return revision if len(revision) == 40 else digest(revision.encode())
