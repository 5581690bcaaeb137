"""The way of a reproduction: reading after reading, each shard once, and all their tables in the end.

    reproduce(Asked(Corpus("novels/"), (ModelSpec(),)), Path("reproductions/novels"))

It may be killed at any moment and started again: finished shards stay, and the tables come out the same to the last bit,
whoever counted them. Another model, corpus or control may be asked of the same folder later; what is there stays. A model
that fails keeps its reason, and the others go on; the next run tries it again.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.errors import InputError
from attn_core.io.paths import called, last_part, shown
from attn_core.io.tables import table_files
from attn_core.models.controls import CONTROLS, SEEDS, Control
from attn_core.models.files import ModelSpec, locate
from attn_core.reproduction.choices import readings
from attn_core.reproduction.folder import (
    FORMAT,
    OTHER_VERSION,
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
from attn_core.reproduction.opened import Reproduction, open_reproduction
from attn_core.reproduction.texts_read import readings_table
from attn_core.reproduction.verdict_rows import verdict_tables
from attn_core.reproduction.worker import count_reproduction
from attn_core.runs import folder as files
from attn_core.runs.errors import RunCancelled, RunError
from attn_core.runs.executors import MakeExecutor, Source
from attn_core.runs.job import Shard
from attn_core.runs.kinds import KINDS
from attn_core.runs.model import describe
from attn_core.runs.progress import Progress, Reporter
from attn_core.runs.resumable import agreed_manifest, at_work, completed, counts_alike, is_counted, made_by
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
    asked: Asked,
    out: Path,
    settings: ReproductionSettings = DEFAULT,
    executor: Executor | MakeExecutor | None = None,
    *,
    in_flight: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Reproduction:
    """Count what is not counted yet, and make the tables of all that the folder has. Arguments as of `run_study`.

    Raises InputError, in one sentence, where it cannot begin or go on; what was counted stays.
    """
    asked.corpus.check(out)
    for spec in asked.models:
        locate(spec)  # a model that is not here is told before anything begins
    _check_names(asked.models)
    manifest = files.read_json(out / files.MANIFEST)
    if manifest is not None and manifest.get("format") != FORMAT:
        raise InputError(OTHER_VERSION.format(shown(out)))
    with at_work(out, executor, in_flight, progress, "reproduction") as (source, reporter):
        _Run(asked, out, settings, source, threads, reporter).all()
        reporter.tell("finished")
    return open_reproduction(out)


class _AnotherModel(RunError):
    """Under the name of a model that was read lies another one now."""


@dataclass(frozen=True, eq=False)
class _Run:
    asked: Asked
    out: Path
    settings: ReproductionSettings
    source: Source
    threads: int | None
    reporter: Reporter

    def all(self) -> None:
        manifest = {
            "format": FORMAT,
            "model": {},
            "corpus": {},
            "settings": asdict(self.settings),
            **made_by(KINDS["reproduction"]),
        }
        kept = agreed_manifest(self.out, manifest)
        if not counts_alike(kept, manifest):
            raise RunError(
                f"What {shown(self.out)} holds was begun by a program that counts differently: choose a new folder."
            )
        planned = self.asked.readings
        alone = sum(1 for _ in islice(_readable(self.asked.corpus), 2)) == 1
        agree_on_corpus(self.out, self._facts_of_corpus(planned[0][1].corpus, alone))
        failed: dict[tuple[str, str | None], str] = {}
        for number, (spec, reading) in enumerate(planned):
            model = reading.model, reading.revision
            if model in failed:
                self._keep(replace(reading, problem=failed[model]))
                continue
            try:
                self._count(spec, reading, alone, number / len(planned), 1 / len(planned))
            except (RunCancelled, files.DamagedError, _AnotherModel):
                raise
            except InputError as error:
                failed[model] = str(error).replace(spec.place, called(spec.name)).replace(spec.name, called(spec.name))
                self._keep(replace(reading, problem=failed[model]))
        if len(failed) == len(self.asked.models):
            raise RunError(next(iter(failed.values())))
        self._pool(kept)

    def _count(self, spec: ModelSpec, reading: Reading, alone: bool, done: float, part: float) -> None:
        """The shards of a reading that are not there yet, or not whole. done, part: of all the work, before it and its own."""
        path = reading_path(self.out, reading)
        facts = self.source.ask(describe, spec, self.threads)
        kept = read_reading(path)
        if kept is not None and kept.facts is not None and kept.facts != facts:
            raise _AnotherModel(
                f"{shown(self.out)} has readings of another {facts.name}: its weights, its tokenizer or the device have "
                "changed, so choose a new folder."
            )
        self._keep(replace(reading, facts=facts, shards=kept.shards if kept else None))
        files.clear_leftovers(path)
        number = 0

        def jobs() -> Iterator[ReproductionJob]:
            nonlocal number
            for shard in shards(Beginnings(self.asked.corpus, self.settings.windows), self.settings.shard_characters):
                number += 1
                of_all = replace(shard, done=done + part * shard.done)
                if not is_counted(path, of_all, self.reporter):
                    yield self._job(of_all, spec, facts, reading, alone)

        self.reporter.tell("running")
        for job, counted in completed(count_reproduction, jobs(), self.source):
            files.write_folder(files.shard_path(path, job.shard.number), counted.files)
            self.reporter.counted(job.shard, counted)
        if not number:
            raise RunError(f"There is no text at {shown(self.asked.corpus.source)}: every file is empty.")
        self._keep(replace(reading, facts=facts, shards=number))

    def _job(self, shard: Shard, spec: ModelSpec, facts: Any, reading: Reading, alone: bool) -> ReproductionJob:
        counting = KINDS["reproduction"].digest
        return ReproductionJob(
            shard, spec, facts, self.threads, counting, reading.layout, self.asked.language, self.settings, alone
        )

    def _keep(self, reading: Reading) -> None:
        """Of a model that fails now what was known before stays: its shards are that model's alone."""
        before = read_reading(reading_path(self.out, reading)) if reading.problem else None
        write_reading(self.out, replace(before, problem=reading.problem) if before else reading)

    def _facts_of_corpus(self, name: str, alone: bool) -> CorpusFacts:
        corpus = self.asked.corpus
        return CorpusFacts(
            name, str(corpus.source), corpus.column, corpus.documents, corpus.limit, self.asked.language,
            corpus.fingerprint(), alone, corpus.groups,
        )  # fmt: skip

    def _pool(self, manifest: dict[str, Any]) -> None:
        self.reporter.tell("pooling")
        every = list(read_readings(self.out))
        verdicts, curves = verdict_tables(every, self.settings)
        corpora = read_corpora(self.out)
        tables = {
            "verdicts": verdicts,
            "curves": curves,
            "corpora": pd.DataFrame([_as_row(one) for one in corpora]),
            "readings": readings_table(every),
        }
        about = {**manifest["settings"], "counting": manifest["program"]["counting"]}
        fingerprints = {"corpora": {one.name: one.fingerprint for one in corpora}}
        files.write_folder(self.out / files.TABLES, table_files(tables, about | fingerprints, about))


def _check_names(models: Sequence[ModelSpec]) -> None:
    """Raises InputError where two models would have one name in the tables."""
    by_name: dict[str, ModelSpec] = {}
    for spec in models:
        if by_name.setdefault(name_of(spec), spec).place != spec.place:
            raise InputError(
                f"Two of the models are called {shown(name_of(spec))}: give their folders names of their own."
            )


def _readable(corpus: Corpus) -> Iterator[int]:
    return (text.number for text in corpus.texts() if text.text and text.text.strip())


def _as_row(corpus: CorpusFacts) -> dict[str, Any]:
    told = asdict(corpus)
    return {"corpus": told.pop("name"), **told, "source": last_part(corpus.source)}
