"""Small corpora, and what two studies must have in common."""

import json
from hashlib import sha256
from pathlib import Path

from attn_core.runs.progress import Progress
from tests.families import TEXT

SENTENCES = [
    sentence.strip() + "." for sentence in TEXT.replace("!", ".").replace("?", ".").split(".") if sentence.strip()
]


def write_corpus(folder: Path, texts: int = 8, sentences: int = 5) -> Path:
    """A folder of texts that differ in their sentences and their length."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(texts):
        chosen = [SENTENCES[(number + 2 * at) % len(SENTENCES)] for at in range(sentences + number % 4)]
        (folder / f"{number:03d}.txt").write_text(" ".join(chosen), encoding="utf-8")
    return folder


def digests(study: Path) -> dict[str, str]:
    """The digest of every Parquet file and table of a study by its path; and the manifest without its command."""
    files = {*study.rglob("*.parquet"), *(study / "tables").iterdir()}
    manifest = json.loads((study / "manifest.json").read_bytes()) | {"argv": None}
    found = {str(file.relative_to(study)): sha256(file.read_bytes()).hexdigest() for file in sorted(files)}
    return found | {"manifest.json": json.dumps(manifest)}


def stopped_after(shards: int):
    """A listener that stops a study, as Ctrl-C does, once so many shards were counted."""
    counted = iter(range(1, 10_000))

    def listen(progress: Progress) -> None:
        if progress.status == "running" and progress.windows and next(counted) >= shards:
            raise KeyboardInterrupt

    return listen
