"""A small run of every kind: how it is made, and what it leaves."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from attn_core.interventions.runner import run_ablation
from attn_core.interventions.settings import AblationSettings
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.results import Results
from attn_core.runs.run import ALONE, Workers
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines


@dataclass(frozen=True)
class Makers:
    """What runs of every kind read: a model, and four texts."""

    spec: ModelSpec
    texts: Path

    def make(self, kind: str, out: Path, workers: Workers = ALONE, otherwise: bool = False) -> Results:
        """Make a run of a kind in a folder, or go on with it; otherwise: with another setting."""
        return getattr(self, kind)(out, workers, otherwise)

    def study(self, out: Path, workers: Workers, otherwise: bool) -> Results:
        settings = StudySettings(shard_characters=1500, batch_tokens=300, min_tokens=3 if otherwise else 2)
        subjects = with_baselines([self.spec], ["shuffled_weights"], seeds=1)
        return run_study(Corpus(str(self.texts)), subjects, out, settings, workers)

    def ablation(self, out: Path, workers: Workers, otherwise: bool) -> Results:
        settings = AblationSettings("importance", seed=int(otherwise))
        return run_ablation(Corpus(str(self.texts)), self.spec, out, settings, workers)


def digests(out: Path) -> dict[str, str]:
    """Every file of a run as a digest of its bytes; how far it is, and who holds it, are of one process."""
    kept = (file for file in out.rglob("*") if file.is_file() and file.name not in (files.PROGRESS, files.LOCK))
    return {str(file.relative_to(out)): sha256(file.read_bytes()).hexdigest() for file in sorted(kept)}


def a_folder(file: Path) -> None:
    file.unlink()
    (file / "inside").mkdir(parents=True)


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 4
    file.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b""),
    "truncated": lambda file: file.write_bytes(file.read_bytes()[:-7]),
    "one bit flipped": flipped,
    "a folder": a_folder,
}
