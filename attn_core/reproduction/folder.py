"""The folder of a reproduction: what lies where. Everything is written whole or not at all, and can tell that it is still so.

manifest.json                       settings and versions: what all numbers depend on
progress.json, lock                 as in a study
corpora/NAME.json                   where a corpus lies, how it is read, its fingerprint
readings/NAME/MODEL/HOW/            a corpus as a model, or a control of it, reads it in a layout
    reading.json                    which model that was, whether it is finished, or why it failed
    shards/000000/                  texts.parquet and sums.parquet (see `sums`)
tables/                             verdicts, curves, corpora, readings, as CSV and Parquet
"""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from attn_core.errors import RunError
from attn_core.io.paths import shown
from attn_core.models.controls import Control
from attn_core.reproduction.choices import Read
from attn_core.runs import folder as files
from attn_core.runs.job import ModelFacts
from attn_core.texts.passages import Layout

CORPORA, READINGS, READING = "corpora", "readings", "reading.json"


@dataclass(frozen=True)
class CorpusFacts:
    """A corpus under its name. fingerprint: SHA-256 of names, contents, and how they are read."""

    name: str
    source: str
    column: str | None
    documents: str
    limit: int | None
    language: str
    fingerprint: str
    groups: str | None = None


@dataclass(frozen=True)
class Reading:
    """What is known of a reading.

    facts: of its model, None before it was loaded. shards: their number, None while it is not finished. problem: why it failed,
    empty where it did not.
    """

    corpus: str
    model: str
    revision: str | None
    control: Control | None
    layout: Layout
    seed: int | None
    facts: ModelFacts | None = None
    shards: int | None = None
    problem: str = ""

    @property
    def read(self) -> Read:
        return Read(self.control, self.layout, self.seed)

    @property
    def finished(self) -> ModelFacts | None:
        """The facts of its model where every shard is counted, and None where not."""
        return self.facts if self.shards is not None and not self.problem else None


def reading_path(out: Path, reading: Reading) -> Path:
    key = f"{reading.model}@{reading.revision or ''}".encode("utf-8", "surrogateescape")
    model = f"{slug(Path(reading.model).name)}-{sha256(key).hexdigest()[:8]}"
    return out / READINGS / reading.corpus / model / reading.read.name


def write_reading(out: Path, reading: Reading) -> None:
    path = reading_path(out, reading)
    path.mkdir(parents=True, exist_ok=True)
    files.write_file(path / READING, files.to_json(asdict(reading)))


def read_reading(path: Path) -> Reading | None:
    """What `write_reading` has written into a folder; None where there is none, or a damaged one."""
    told = files.read_json(path / READING)
    if told is None:
        return None
    facts = told.pop("facts")
    return Reading(**told, facts=None if facts is None else ModelFacts(**facts))


def read_readings(out: Path) -> Iterator[tuple[Path, Reading]]:
    """Every reading of the folder, by corpus, model, and how."""
    for path in sorted(file.parent for file in (out / READINGS).glob(f"*/*/*/{READING}")):
        if reading := read_reading(path):
            yield path, reading


def agree_on_corpus(out: Path, corpus: CorpusFacts) -> None:
    """Keep what a corpus is, or hold it against what is kept under its name. Raises RunError where they differ."""
    path = out / CORPORA / f"{corpus.name}.json"
    kept = files.read_json(path)
    if kept is None:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write_file(path, files.to_json(asdict(corpus)))
    elif kept | {"source": corpus.source} != asdict(corpus):  # where it lies makes no difference
        raise RunError(
            f"{shown(out)} has other texts under the name {shown(corpus.name)}: give these another one with --name."
        )


def read_corpora(out: Path) -> list[CorpusFacts]:
    """The corpora of the folder, by name."""
    told = (files.read_json(path) for path in sorted((out / CORPORA).glob("*.json")))
    return [CorpusFacts(**one) for one in told if one is not None]


def slug(name: str) -> str:
    """A name as a folder may have it on any machine."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:60] or "corpus"
