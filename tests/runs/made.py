"""A small run of every kind: how it is made, and what it leaves."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from attn_core.reproduction.job import ReproductionSettings
from attn_core.reproduction.runner import Asked, reproduce
from attn_core.series.runner import run_series
from attn_core.series.sources import Source

from attn_core.interventions.runner import run_ablation
from attn_core.interventions.settings import AblationSettings
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.results import Results
from attn_core.runs.run import ALONE, Workers
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from tests.study.made_up import write_corpus


@dataclass(frozen=True)
class Makers:
    """What runs of every kind read. texts: four of them. below: where it was written."""

    spec: ModelSpec
    below: Path

    @property
    def texts(self) -> Corpus:
        return Corpus(str(self.below / "texts"))

    def make(self, kind: str, out: Path, workers: Workers = ALONE, otherwise: bool = False) -> Results:
        """Make a run of a kind in a folder, or go on with it; otherwise: with another setting."""
        return getattr(self, kind)(out, workers, otherwise)

    def study(self, out: Path, workers: Workers, otherwise: bool) -> Results:
        settings = StudySettings(shard_characters=300, batch_tokens=300, min_tokens=3 if otherwise else 2)
        return run_study(self.texts, self.spec, out, settings, workers)

    def ablation(self, out: Path, workers: Workers, otherwise: bool) -> Results:
        return run_ablation(self.texts, self.spec, out, AblationSettings("importance", seed=int(otherwise)), workers)

    def reproduction(self, out: Path, workers: Workers, otherwise: bool) -> Results:
        settings = ReproductionSettings(windows=1, shard_characters=300, min_tokens=3 if otherwise else 2)
        asked = Asked(Corpus(self.texts.source, limit=2), (self.spec,), controls=("shuffled",))
        return reproduce(asked, out, settings, workers)

    def series(self, out: Path, workers: Workers, otherwise: bool) -> Results:
        steps = [Source(number, f"step {number}", self.spec) for number in (1, 2)]
        settings = StudySettings(shard_characters=300, batch_tokens=300, min_tokens=3 if otherwise else 2)

        def tell(_step: Source, progress: Any) -> None:
            if workers.progress:
                workers.progress(progress)

        corpus = Corpus(self.texts.source, limit=2)
        return run_series("tiny", steps, corpus, out, settings, workers, tell)


def makers(spec: ModelSpec, below: Path) -> Makers:
    """Write what the runs read."""
    write_corpus(below / "texts", texts=4)
    return Makers(spec, below)


def digests(out: Path) -> dict[str, str]:
    """Every file of a run as a digest of its bytes; how far it is, and who holds it, are of one process."""
    kept = (file for file in out.rglob("*") if file.is_file() and file.name not in (files.PROGRESS, files.LOCK))
    return {str(file.relative_to(out)): sha256(file.read_bytes()).hexdigest() for file in sorted(kept)}


Damage = Callable[[Path], object]


def a_folder(file: Path) -> None:
    file.unlink()
    (file / "inside").mkdir(parents=True)


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 4
    file.write_bytes(data)


DAMAGES: dict[str, Damage] = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b""),
    "truncated": lambda file: file.write_bytes(file.read_bytes()[:-7]),
    "one bit flipped": flipped,
    "a folder": a_folder,
    "another file": lambda file: file.write_bytes(files.to_json({"status": "finished", "done": 1.0})),
}
