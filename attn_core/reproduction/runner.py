"""The way of a reproduction: reading after reading, each shard once, and all their tables in the end.

    reproduce(Asked(Corpus("novels/"), (ModelSpec(),)), Path("reproductions/novels"))

Another model, corpus or control may be asked of the same folder later; what is there stays. A model
that fails keeps its reason, and the others go on; the next run tries it again.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pandas as pd

from attn_core.errors import InputError, RunCancelled, RunError
from attn_core.io.paths import called, last_part, shown
from attn_core.io.tables import table_files
from attn_core.models.controls import CONTROLS, SEEDS, Control
from attn_core.models.files import ModelSpec, locate
from attn_core.reproduction.choices import readings
from attn_core.reproduction.folder import (
    CorpusFacts,
    Reading,
    agree_on_corpus,
    read_corpora,
    read_reading,
    read_readings,
    reading_path,
    slug,
    write_reading,
)
from attn_core.reproduction.job import DEFAULT, Beginnings, ReproductionJob, ReproductionSettings
from attn_core.reproduction.named_models import name_of
from attn_core.reproduction.opened import Reproduction
from attn_core.reproduction.verdict_rows import readings_table, verdict_tables
from attn_core.reproduction.worker import count_reproduction
from attn_core.runs import folder as files
from attn_core.runs.kinds import KINDS
from attn_core.runs.run import ALONE, Run, Workers, begun
from attn_core.study.corpus import Corpus
from attn_core.study.plan import shards
from attn_core.texts.languages import AUTO


@dataclass(frozen=True)
class Asked:
    """What is to be counted now: one corpus, under a name, with some models and their controls.

    twins: of each kind and model, each with weights of its own seed.
    """

    corpus: Corpus
    models: tuple[ModelSpec, ...]
    controls: tuple[Control, ...] = CONTROLS
    twins: int = SEEDS
    language: str = AUTO
    name: str = ""

    @property
    def readings(self) -> list[tuple[ModelSpec, Reading]]:
        """Every way to read the corpus, model by model; the spec is that of the model or of its twin."""
        corpus = slug(self.name or Path(self.corpus.source.rstrip("/")).name.partition(".")[0])
        return [
            (
                replace(spec, twin=how.twin),
                Reading(corpus, name_of(spec), spec.revision, how.control, how.layout, how.seed),
            )
            for spec in self.models
            for how in readings(self.controls, self.twins)
        ]


def reproduce(
    asked: Asked, out: Path, settings: ReproductionSettings = DEFAULT, workers: Workers = ALONE
) -> Reproduction:
    """Count what is not counted yet, and make the tables of all that the folder has.

    Raises InputError, in one sentence, where it cannot begin or go on; what was counted stays.
    """
    asked.corpus.check(out)
    for spec in asked.models:
        locate(spec)  # a model that is not here is told before anything begins
    _check_names(asked.models)
    with begun(KINDS["reproduction"], out, workers) as run:
        run.agrees(model={}, corpus={}, settings=settings)
        _Readings(run, asked, settings).all()
    return Reproduction.open(out)


class _AnotherModel(RunError):
    """Under the name of a model that was read lies another one now."""


@dataclass(frozen=True, eq=False)
class _Readings:
    """What is asked of a run now, reading after reading."""

    run: Run
    asked: Asked
    settings: ReproductionSettings

    @property
    def out(self) -> Path:
        return self.run.folder

    def all(self) -> None:
        planned = self.asked.readings
        corpus = self.asked.corpus
        how = {"language": self.asked.language, "fingerprint": corpus.fingerprint()}
        agree_on_corpus(self.out, CorpusFacts(name=planned[0][1].corpus, **asdict(corpus) | how))
        failed: dict[tuple[str, str | None], str] = {}
        for number, (spec, reading) in enumerate(planned):
            model = reading.model, reading.revision
            if model in failed:
                self._keep(replace(reading, problem=failed[model]))
                continue
            try:
                self._count(spec, reading, number / len(planned), 1 / len(planned))
            except (RunCancelled, files.DamagedError, _AnotherModel):
                raise
            except InputError as error:
                failed[model] = str(error).replace(spec.place, called(spec.name)).replace(spec.name, called(spec.name))
                self._keep(replace(reading, problem=failed[model]))
        if len(failed) == len(self.asked.models):
            raise RunError(next(iter(failed.values())))
        self.run.pool(self._tables)

    def _count(self, spec: ModelSpec, reading: Reading, done: float, part: float) -> None:
        """The shards of a reading that are not there yet, or not whole. done, part: of all the work, before it and its own."""
        path = reading_path(self.out, reading)
        model = self.run.model(spec)
        kept = read_reading(path)
        if kept is not None and kept.facts is not None and kept.facts != model.facts:
            raise _AnotherModel(
                f"{shown(self.out)} has readings of another {model.facts.name}: its weights, its tokenizer or the device "
                "have changed, so choose a new folder."
            )
        self._keep(replace(reading, facts=model.facts, shards=kept.shards if kept else None))
        texts = Beginnings(self.asked.corpus, self.settings.windows)
        jobs = (
            ReproductionJob(
                replace(shard, done=done + part * shard.done), model, reading.layout, self.asked.language, self.settings
            )
            for shard in shards(texts, self.settings.shard_characters)
        )
        counted = self.run.counted(count_reproduction, jobs, below=path)
        self.asked.corpus.refuse_empty(counted)
        self._keep(replace(reading, facts=model.facts, shards=len(counted)))

    def _keep(self, reading: Reading) -> None:
        """Of a model that fails now what was known before stays: its shards are that model's alone."""
        before = read_reading(reading_path(self.out, reading)) if reading.problem else None
        write_reading(self.out, replace(before, problem=reading.problem) if before else reading)

    def _tables(self) -> dict[str, bytes]:
        every = list(read_readings(self.out))
        verdicts, curves = verdict_tables(every)
        corpora = read_corpora(self.out)
        places = [last_part(one.source) for one in corpora]
        tables = {
            "verdicts": verdicts,
            "curves": curves,
            "corpora": pd.DataFrame(corpora).rename(columns={"name": "corpus"}).assign(source=places),
            "readings": readings_table(every),
        }
        manifest = self.run.manifest
        return table_files(tables, {**manifest["settings"], "corpora": {one.name: one.fingerprint for one in corpora}})


def _check_names(models: Sequence[ModelSpec]) -> None:
    """Raises InputError where two models would have one name in the tables."""
    by_name: dict[str, ModelSpec] = {}
    for spec in models:
        if by_name.setdefault(name_of(spec), spec).place != spec.place:
            raise InputError(
                f"Two of the models are called {shown(name_of(spec))}: give their folders names of their own."
            )
