"""A run at work: it holds its folder, counts the shards that are missing, and makes its tables.

    with begun(KINDS["ablation"], out, workers) as run:
        model = run.model(spec)
        run.agrees(model=model.facts, corpus=corpus, settings=settings)
        run.counted(count_shard, jobs)
        run.pool(tables)

What a kind reads and counts, its own runner says. It may be killed at any moment and started again: finished shards are kept,
and the tables come out the same to the last bit, whoever counted them. The work goes through a `concurrent.futures.Executor`:
none (in this process), a process pool, Dask (`Client.get_executor()`), or any other.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from attn_core.errors import InputError, RunError, cause
from attn_core.io.paths import shown, without_places
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.executors import MakeExecutor, Source
from attn_core.runs.job import Counted, ModelFacts, ModelJob, RunModel, Shard
from attn_core.runs.kinds import Kind
from attn_core.runs.lock import lock
from attn_core.runs.model import describe
from attn_core.runs.pooled import read_tables, refuse_edited, replace_tables
from attn_core.runs.progress import AGAIN, Progress, Reporter, reporting
from attn_core.runs.results import other_version
from attn_core.runs.shards import (
    Stored,
    answers,
    counted_and_stored,
    read_shard,
    remove_shard,
    shard_path,
    shard_paths,
    write_shard,
)

J = TypeVar("J", bound=ModelJob)


@dataclass(frozen=True)
class Workers:
    """Who counts, and who is informed of its progress.

    executor: an executor, or a function that makes one (a broken one is then replaced); None: this process. in_flight: shards
    handed out at a time, about twice the workers. threads: of torch in each worker. progress: is called with every step.
    argv: the command that they work for; None where it is none.
    """

    executor: Executor | MakeExecutor | None = None
    in_flight: int | None = None
    threads: int | None = None
    progress: Callable[[Progress], None] | None = None
    argv: tuple[str, ...] | None = None


ALONE = Workers()


class Run:
    """A run that holds its folder, see `begun`."""

    def __init__(self, kind: Kind, folder: Path, workers: Workers, reporter: Reporter) -> None:
        self.kind, self.folder, self.reporter = kind, folder, reporter
        self.source = Source(workers.executor, workers.in_flight)
        self.manifest: Mapping[str, Any] = {}
        self._threads, self._argv = workers.threads, workers.argv

    def model(self, spec: ModelSpec) -> RunModel:
        """A model as every worker must have it; a worker is asked what it is. Raises InputError where it cannot be loaded."""
        facts: ModelFacts = self.source.submit(describe, spec, self._threads).result()
        return RunModel(spec, facts, self._threads)

    def agrees(self, **parts: Any) -> None:
        """Write these parts into the manifest, or compare them with what it has. Raises RunError where they differ.

        The command that made it first is kept too, without where anything lies; it is no part of what is asked.
        """
        folder, kind = self.folder, self.kind
        now = {name: part if isinstance(part, dict | str) else asdict(part) for name, part in parts.items()}
        kept = files.read_manifest(folder)
        if kept is None or not kept.keys() & parts:
            argv = None if self._argv is None else without_places(self._argv)
            kept = {**files.made_by(kind), **now, "argv": argv}
            files.write_file(folder / files.MANIFEST, files.to_json(kept))
        if kept.get("format") != kind.format:
            raise RunError(f"{shown(folder)} holds {other_version(kind)}")
        for part, value in {**now, **files.made_by(kind)}.items():
            if difference := _difference(part, kept.get(part), value):
                raise RunError(
                    f"What {shown(folder)} holds has another {difference}: choose a new folder, or go back to what it had."
                )
        refuse_edited(folder, kept)
        self.manifest = kept

    def counted(self, count: Callable[[J], Counted], jobs: Iterable[J], *, below: Path | None = None) -> list[Path]:
        """The shards of the jobs in their order; those that are not there yet, not whole, or of something else, are counted.

        What is stored beyond them is removed. below: the folder that has the shards, unless it is that of the run. Raises
        RunError where somebody else's files are in a shard.
        """
        folder, paths = below or self.folder, list[Path]()
        files.clear_way(folder / files.SHARDS, self.folder)
        files.clear_leftovers(folder)

        def missing() -> Iterator[tuple[J, str]]:
            for job in jobs:
                paths.append(shard_path(folder, job.shard.number))
                files.clear_way(paths[-1], self.folder)
                answered = self.answers(job.model.facts, folder, job.shard.number)
                if facts := read_shard(paths[-1], answered):
                    self.reporter.counted_before(job.shard, facts)
                else:
                    yield job, answered

        self.reporter.tell("running")  # a small run has one shard, and would say nothing before it is counted
        for job, stored in completed(count, missing(), self.source):
            write_shard(shard_path(folder, job.shard.number), stored)
            self.reporter.counted(job.shard, stored.facts)
        for stray in {*shard_paths(folder)} - {*paths}:
            remove_shard(stray)
        return paths

    def answers(self, model: ModelFacts, below: Path, number: int) -> str:
        """What a shard of this run must answer. below: the folder that has the shards."""
        return answers(self.manifest, model, below.relative_to(self.folder).as_posix(), number)

    @property
    def pooled(self) -> bool:
        """Whether its tables are there; whole tables stay right, since a shard that is counted again is the same shard."""
        with suppress(files.DamagedError):
            return bool(read_tables(self.folder, self.manifest))
        return False

    def pool(self, tables: Callable[[], Mapping[str, bytes]]) -> None:
        """Write the tables."""
        self.reporter.tell("pooling")
        self.manifest = replace_tables(self.folder, self.manifest, tables())


@contextmanager
def begun(kind: Kind, folder: Path, workers: Workers = ALONE) -> Iterator[Run]:
    """Hold a folder while a run counts in it, and let it end in one sentence whatever happens.

    Raises RunError where the folder is somebody else's, or another process works in it.
    """
    files.refuse_others(folder, kind)
    with lock(folder):
        files.begin_manifest(folder, kind)
        with reporting(folder, workers.progress) as reporter:
            files.clear_leftovers(folder)
            reporter.tell("starting")
            run = Run(kind, folder, workers, reporter)
            try:
                yield run
            finally:
                run.source.close()


def _difference(part: str, kept: Any, now: Any) -> str | None:
    """The first thing in which two manifests differ, in words. Where a corpus or a model is stored makes no difference."""
    if not isinstance(now, dict):
        return None if kept == now else f"{part} ({kept}, now {now})"
    kept = kept if isinstance(kept, dict) else {}
    name = {"settings": "setting", "software": "version of the software"}.get(part, part)
    for key in sorted((kept.keys() | now.keys()) - {*files.PLACES}):
        if kept.get(key) != now.get(key):
            changed = f"{name}: {key} = {kept.get(key)}, now {now.get(key)}"
            return "corpus (its texts have changed)" if key == "fingerprint" else changed
    return None


def completed(
    count: Callable[[J], Counted], jobs: Iterator[tuple[J, str]], source: Source
) -> Iterator[tuple[J, Stored]]:
    """Hand jobs out to `count`, a few at a time; what a dying worker had in hand is handed out once more.

    jobs: each with what its shard answers.
    """
    waiting: dict[Future, tuple[J, str]] = {}
    again: list[tuple[J, str]] = []
    failed = set[int]()
    while True:
        while len(waiting) < source.in_flight and (one := again.pop() if again else next(jobs, None)) is not None:
            waiting[source.submit(counted_and_stored, one[0], count, one[1])] = one
        if not waiting:
            return
        for future in wait(waiting, timeout=1.0, return_when=FIRST_COMPLETED).done:
            job, answered = waiting.pop(future)
            try:
                yield job, future.result()
            except InputError:
                raise
            except Exception as error:  # a worker died, or its machine failed in any way at all
                if job.shard.number in failed:
                    raise RunError(_gave_up(job.shard, error)) from error
                failed.add(job.shard.number)
                again.append((job, answered))


def _gave_up(shard: Shard, error: Exception) -> str:
    first, last = shard.pieces[0], shard.pieces[-1]
    where = first.name if first.name == last.name else f"{first.name} to {last.name}"
    return f"The texts {where} failed twice ({type(error).__name__}: {cause(error)}): is there enough memory? {AGAIN}"
