"""A run at work: it holds its folder, counts the shards that are missing, and makes its tables.

    with begun(KINDS["study"], out, workers) as run:
        model = run.model(spec)
        if run.agrees(manifest):
            run.counted(count_shard, jobs)
            run.pooled(tables)

What a kind reads and counts, its own runner says. It may be killed at any moment and started again: finished shards are kept,
and the tables come out the same to the last bit, whoever counted them. The work goes through a `concurrent.futures.Executor`:
none (in this process), a process pool, Dask (`Client.get_executor()`), or any other.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from attn_core import __version__
from attn_core.errors import InputError, RunError, cause
from attn_core.io.paths import shown, without_places
from attn_core.io.tables import software
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.executors import ATTEMPTS, MakeExecutor, Source
from attn_core.runs.job import Counted, ModelFacts, ModelJob, RunModel, Shard
from attn_core.runs.kinds import Kind, kind_of
from attn_core.runs.lock import lock
from attn_core.runs.model import describe
from attn_core.runs.ownership import refuse_others
from attn_core.runs.progress import Progress, Reporter, reporting
from attn_core.runs.results import other_version

J = TypeVar("J", bound=ModelJob)


@dataclass(frozen=True)
class Workers:
    """Who counts, and who is told how far it is.

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
        facts: ModelFacts = self.source.ask(describe, spec, self._threads)
        return RunModel(spec, facts, self._threads)

    def agrees(self, **parts: Any) -> bool:
        """Write the manifest of these parts, or compare it with the one that is there.

        Returns whether there may be something to count: not in a finished folder of a program that counted differently.
        Raises RunError where the manifests differ.
        """
        self.manifest = agreed_manifest(self.folder, self.kind, parts, self._argv)
        return self.manifest["program"]["version"] == __version__

    def counted(
        self,
        count: Callable[[J], Counted],
        jobs: Iterable[J],
        *,
        below: Path | None = None,
        beforehand: Callable[[Counted], object] = lambda _: None,
    ) -> list[Path]:
        """The shards of the jobs in their order; those that are not there yet, or not whole, are counted.

        below: the folder that has the shards, unless it is that of the run. beforehand: called with what was counted, before
        its shard is written.
        """
        folder, paths = below or self.folder, list[Path]()
        files.clear_leftovers(folder)

        def missing() -> Iterator[J]:
            for job in jobs:
                paths.append(files.shard_path(folder, job.shard.number))
                if files.is_whole(paths[-1]):
                    self.reporter.counted_before(job.shard, paths[-1])
                else:
                    yield job

        self.reporter.tell("running")  # a small run has one shard, and would say nothing before it is counted
        for job, counted in completed(count, missing(), self.source):
            beforehand(counted)
            files.write_folder(files.shard_path(folder, job.shard.number), counted.files)
            self.reporter.counted(job.shard, counted)
        return paths

    def only(self, shards: Iterable[Path], below: Path | None = None) -> None:
        """Remove what is stored beyond the shards of the run. Raises RunError where somebody else's files are in it.

        below: as of `counted`.
        """
        for stray in set(files.shard_paths(below or self.folder)).difference(shards):
            if not files.remove_folder(stray):
                raise RunError(
                    f"{shown(stray)} is no shard of this {self.kind.noun}: move it elsewhere, and start it again."
                )

    @property
    def pooled(self) -> bool:
        """Whether its tables are there; whole tables stay right, since a shard that is counted again is the same shard."""
        return files.is_whole(self.folder / files.TABLES, files.asked_of(self.manifest))

    def pool(self, tables: Callable[[], Mapping[str, bytes]]) -> None:
        """Write the tables."""
        self.reporter.tell("pooling")
        files.write_folder(self.folder / files.TABLES, tables(), files.asked_of(self.manifest))


@contextmanager
def begun(kind: Kind, folder: Path, workers: Workers = ALONE) -> Iterator[Run]:
    """Hold a folder while a run counts in it, and let it end in one sentence whatever happens.

    Raises RunError where the folder is somebody else's, or another process works in it.
    """
    refuse_others(folder, kind)
    with lock(folder), reporting(folder, workers.progress) as reporter:
        files.clear_leftovers(folder)
        reporter.tell("starting")
        run = Run(kind, folder, workers, reporter)
        try:
            yield run
            reporter.end("finished")
        finally:
            run.source.close()


def made_by(kind: Kind) -> dict[str, Any]:
    """What a manifest says of the run and the program: kind, format, version, the libraries."""
    program = {"version": __version__}
    return {"kind": kind.name, "format": kind.format, "program": program, "software": software()}


def agreed_manifest(
    folder: Path, kind: Kind, parts: Mapping[str, Any], argv: Sequence[str] | None = None
) -> Mapping[str, Any]:
    """Write the manifest of a run, or compare it with the one that is there. Raises RunError where they differ.

    argv: the command that made it first, kept without where anything lies; no part of what is asked.
    """
    manifest = {
        **made_by(kind),
        **{name: part if isinstance(part, dict | str) else asdict(part) for name, part in parts.items()},
        "argv": None if argv is None else without_places(argv),
    }
    kept = files.read_manifest(folder, kind.manifest)
    if kept is None:
        files.write_file(folder / kind.manifest, files.to_json(manifest))
        return manifest
    if kind_of(kept) == kind and kept.get("format") != kind.format:
        raise RunError(f"{shown(folder)} holds {other_version(kind)}")
    for part in ("format", *parts, "software"):
        if difference := _difference(part, kept.get(part), manifest[part]):
            raise RunError(
                f"What {shown(folder)} holds has another {difference}: choose a new folder, or go back to what it had."
            )
    counts_alike = kept.get("program", {}).get("version") == __version__
    if not counts_alike and (kind.grows or not files.is_whole(folder / files.TABLES)):
        raise RunError(
            f"What {shown(folder)} holds was begun by a program that counts differently: choose a new folder."
        )
    return kept


def _difference(part: str, kept: Any, now: Any) -> str | None:
    """The first thing in which two manifests differ, in words. Where a corpus or a model is stored makes no difference."""
    if not isinstance(now, dict):
        return None if kept == now else f"{part} ({kept}, now {now})"
    kept = kept if isinstance(kept, dict) else {}
    names = {"settings": "setting", "software": "version of the software"}
    for key in sorted(kept.keys() | now.keys()):
        if kept.get(key) == now.get(key) or key in files.PLACES:
            continue
        if key == "fingerprint":
            return "corpus (its texts have changed)"
        return f"{names.get(part, part)}: {key} = {kept.get(key)}, now {now.get(key)}"
    return None


def completed(count: Callable[[J], Counted], jobs: Iterator[J], source: Source) -> Iterator[tuple[J, Counted]]:
    """Hand jobs out to `count`, a few at a time; what a dying worker had in hand is handed out again."""
    waiting: dict[Future, tuple[J, Executor]] = {}
    attempts: dict[int, int] = {}
    again: list[J] = []
    while True:
        while len(waiting) < source.in_flight and (job := again.pop() if again else next(jobs, None)) is not None:
            attempts[job.shard.number] = attempts.get(job.shard.number, 0) + 1
            future, executor = source.submit(count, job)
            waiting[future] = job, executor
        if not waiting:
            return
        for future in wait(waiting, timeout=1.0, return_when=FIRST_COMPLETED).done:
            job, executor = waiting.pop(future)
            try:
                counted = future.result()
            except InputError:
                raise
            except Exception as error:  # a worker died, or its machine failed in any way at all
                if attempts[job.shard.number] >= ATTEMPTS:
                    raise RunError(_gave_up(job.shard, error)) from error
                again.append(job)
                if isinstance(error, BrokenExecutor):
                    source.drop(executor, error)
            else:
                attempts.pop(job.shard.number)
                yield job, counted


def _gave_up(shard: Shard, error: Exception) -> str:
    first, last = shard.pieces[0], shard.pieces[-1]
    where = first.name if first.name == last.name else f"{first.name} to {last.name}"
    return (
        f"The texts {where} failed {ATTEMPTS} times ({type(error).__name__}: {cause(error)}): is there enough memory?"
    )
