"""Runs of every kind that are small and finished, for the tests of what all kinds have in common."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from attn_core.errors import InputError
from attn_core.interventions.runner import run_ablation
from attn_core.interventions.worker import AblationSettings
from attn_core.models.files import ModelSpec
from attn_core.runs.folder import KINDS
from attn_core.runs.results import Results
from attn_core.runs.run import ALONE, Workers
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import with_baselines
from tests.quick import quick_only
from tests.study.made_up import digests, write_corpus

KINDS_MADE = ("study", "ablation")


@dataclass(frozen=True)
class Runs:
    """How runs of a kind are made, of a model and four texts, and one that is finished: read it only."""

    kind: str
    spec: ModelSpec
    texts: Path
    whole: Path
    copies: Path

    def make(self, out: Path, workers: Workers = ALONE, otherwise: bool = False) -> Results:
        """The run in a folder, made or continued. otherwise: with another setting."""
        corpus = Corpus(str(self.texts))
        if self.kind == "ablation":
            return run_ablation(corpus, self.spec, out, AblationSettings("importance", seed=int(otherwise)), workers)
        settings = StudySettings(shard_characters=1500, batch_tokens=300, min_tokens=3 if otherwise else 2)
        return run_study(corpus, with_baselines([self.spec], ["shuffled_weights"], seeds=1), out, settings, workers)

    def open(self, folder: Path) -> Results:
        return KINDS[self.kind].opener().open(folder)

    def copy(self) -> Path:
        """A finished run of the test's own."""
        return shutil.copytree(self.whole, self.copies / self.kind)

    def is_whole(self, out: Path) -> bool:
        """Whether a folder has the same bytes as the finished run."""
        return digests(out) == digests(self.whole)


@pytest.fixture(scope="session")
def made(tiny: ModelSpec, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Runs]:
    """A kind and where copies go -> runs of it; one of each kind is made a session."""
    texts = write_corpus(tmp_path_factory.mktemp("given") / "texts", texts=4, sentences=20)

    @cache
    def whole(kind: str) -> Path:
        return Runs(kind, tiny, texts, texts, texts).make(tmp_path_factory.mktemp("whole") / kind).folder

    return lambda kind, copies: Runs(kind, tiny, texts, whole(kind), copies)


@pytest.fixture(params=quick_only(KINDS_MADE, "study"))
def runs(request: pytest.FixtureRequest, made: Callable[..., Runs], tmp_path: Path) -> Runs:
    """Runs of every kind in turn."""
    return made(request.param, tmp_path / "copies")


@pytest.fixture
def studies(made: Callable[..., Runs], tmp_path: Path) -> Runs:
    return made("study", tmp_path / "copies")


def shards_of(out: Path) -> list[Path]:
    return sorted(out.rglob("shards/[0-9]*"))


def refuse(says: str, *attempts: Callable[[], object]) -> None:
    """Each attempt ends in one sentence that says this."""
    for attempt in attempts:
        with pytest.raises(InputError, match=says) as refused:
            attempt()
        assert "\n" not in str(refused.value)
