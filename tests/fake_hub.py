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
    folders = dict(revisions) | {commit(revision): folder for revision, folder in revisions.items()}

    class Hub(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer(body=False)

        def do_GET(self) -> None:
            self.answer(body=True)

        def answer(self, body: bool) -> None:
            if refusal:
                return self.refuse(*refusal)
            asked = self.path.split("?")[0].removeprefix("/api/models").removeprefix(f"/{model}").split("/")[1:]
            match asked or ["revision", "main"]:
                case ["tree", revision]:
                    files = [
                        {"type": "file", "path": name, "size": f.stat().st_size, "oid": digest(f)}
                        for name, f in files_in(folders[revision])
                    ]
                    return self.send(json.dumps(files).encode(), body, "application/json", revision)
                case ["revision", revision]:
                    names = [{"rfilename": name} for name, _ in files_in(folders[revision])]
                    info = {"id": model, "sha": commit(revision), "siblings": names}
                    return self.send(json.dumps(info).encode(), body, "application/json", revision)
                case ["resolve", revision, *names] if (file := folders[revision].joinpath(*names)).is_file():
                    if body and fetched is not None:
                        fetched.append("/".join(names))
                    return self.send(file.read_bytes(), body, "application/octet-stream", revision, digest(file))
            return self.refuse(404, "RepoNotFound")

        def refuse(self, status: int, code: str) -> None:
            self.send_response(status)
            self.send_header("X-Error-Code", code)
            self.end_headers()

        def send(self, data: bytes, body: bool, kind: str, revision: str, etag: str = "none") -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("X-Repo-Commit", commit(revision))
            self.send_header("ETag", f'"{etag}"')
            self.end_headers()
            if body:
                self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def files_in(folder: Path) -> list[tuple[str, Path]]:
    return [(file.relative_to(folder).as_posix(), file) for file in folder.rglob("*") if file.is_file()]


def digest(file: Path) -> str:
    return hashlib.sha1(file.read_bytes()).hexdigest()


def commit(revision: str) -> str:
    """The commit that a revision's name stands for; a commit stands for itself."""
    return revision if len(revision) == 40 else hashlib.sha1(revision.encode()).hexdigest()
