"""Small corpora, and what two studies must have in common."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from attn_core.runs.folder import LOCK, MANIFEST, PROGRESS, read_json
from attn_core.runs.progress import Progress
from attn_core.study.corpus import Corpus
from tests.families import TEXT

SENTENCES = [
    sentence.strip() + "." for sentence in TEXT.replace("!", ".").replace("?", ".").split(".") if sentence.strip()
]


def write_texts(folder: Path, texts: Mapping[str, str]) -> Corpus:
    """A corpus of files with these names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return Corpus(str(folder))


def write_corpus(folder: Path, texts: int = 8, sentences: int = 5) -> Path:
    """A folder of texts that differ in their sentences and their length."""
    made = {}
    for number in range(texts):
        chosen = [SENTENCES[(number + 2 * at) % len(SENTENCES)] for at in range(sentences + number % 4)]
        made[f"{number:03d}.txt"] = " ".join(chosen)
    write_texts(folder, made)
    return folder


def digests(out: Path) -> dict[str, str]:
    """A digest of every file of a run, without how far it is, who holds it, and the command in its manifest."""
    found = {}
    for file in sorted(out.rglob("*")):
        if file.is_file() and file.name not in (PROGRESS, LOCK):
            facts = read_json(file) if file.name == MANIFEST else None
            data = json.dumps(facts | {"argv": None}).encode() if facts else file.read_bytes()
            found[str(file.relative_to(out))] = sha256(data).hexdigest()
    return found


def stopped_after(shards: int):
    """A listener that stops a study, as Ctrl-C does, once so many shards were counted."""
    counted = iter(range(1, 10_000))

    def listen(progress: Progress) -> None:
        if progress.status == "running" and progress.windows and next(counted) >= shards:
            raise KeyboardInterrupt

    return listen
