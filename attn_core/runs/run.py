"""A run in progress: it locks its folder, counts the missing shards, and makes the tables.

    with open_run_folder(KINDS["ablation"], out, workers) as run:
        model = run.model(spec)
        run.check_manifest(model=model.facts, corpus=corpus, settings=settings)
        run.count_missing_shards(count_shard, jobs, out / "effect", {"removals": removals})
        if not run.pooled:
            run.pool(tables)

A run may be killed at any moment and started again: finished shards are kept, and the tables are the same bit for bit,
with any workers. A table is made of exactly the shards that were counted for it. Jobs go to a
`concurrent.futures.Executor`: this process by default, a process pool, Dask (`Client.get_executor()`), or any other.
"""

import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from attn_core.errors import InputError, RunCancelled, RunError, cause
from attn_core.io.atomic_files import write_file
from attn_core.io.paths import printable, without_places
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as run_folder
from attn_core.runs.executors import InProcess
from attn_core.runs.folder import Kind, lock
from attn_core.runs.job import ModelFacts, ModelJob, RunModel, ShardResult, describe
from attn_core.runs.progress import AGAIN, Progress, Reporter, in_a_sentence
from attn_core.runs.results import other_version
from attn_core.runs.shards import Facts, check_shards, clear_shard, count_to_bytes, digest_of, read_shard, shard_path

J = TypeVar("J", bound=ModelJob)
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Workers:
    """The workers of a run.

    executor: None for this process. in_flight: shards submitted at a time, by default twice the cores. threads: of
    torch in each worker. progress: called with the progress at every step. argv: the command of the run, if any.
    """

    executor: Executor | None = None
    in_flight: int | None = None
    threads: int | None = None
    progress: Callable[[Progress], None] | None = None
    argv: tuple[str, ...] | None = None


ALONE = Workers()


class Run:
    """A run that has locked its folder, see `open_run_folder`."""

    def __init__(self, kind: Kind, folder: Path, workers: Workers, reporter: Reporter) -> None:
        self.kind, self.folder, self.reporter = kind, folder, reporter
        self.manifest: Mapping[str, Any] = {}
        self._shards: dict[str, str] = {}  # the digest of the record of shards in each folder
        self._executor, self._workers = workers.executor or InProcess(), workers
        self._in_flight = 1 if workers.executor is None else workers.in_flight or 2 * (os.cpu_count() or 1)

    def model(self, spec: ModelSpec) -> RunModel:
        """The model that all workers must have, described by one worker. Raises InputError if it cannot be loaded."""
        facts: ModelFacts = self._executor.submit(describe, spec, self._workers.threads).result()
        return RunModel(spec, facts, self._workers.threads)

    def check_manifest(self, **parts: Any) -> None:
        """Write parts of the manifest, or compare them with those written before. Raises RunError if they differ.

        The first command of the run is also kept, without paths of files; it is not compared.
        """
        folder, kind, argv = self.folder, self.kind, self._workers.argv
        given = {name: part if isinstance(part, dict) else asdict(part) for name, part in parts.items()}
        now = json.loads(run_folder.to_json(run_folder.made_by(kind) | given))  # as it is read again
        kept = run_folder.read_manifest(folder)
        if kept is None or not kept.keys() & parts:
            kept = {**now, "argv": None if argv is None else without_places(argv)}
            write_file(folder / run_folder.MANIFEST, run_folder.to_json(kept))
        if kept.get("format") != kind.format:
            raise RunError(f"{printable(folder)} holds {other_version(kind)}")
        for part, value in now.items():
            if difference := _difference(part, kept.get(part), value):
                raise RunError(
                    f"{printable(folder)} has another {difference}: take a new folder, or go back to what it had."
                )
        self.manifest = kept
        self._parts = sorted(now)

    def count_missing_shards(
        self, count: Callable[[J], ShardResult], jobs: Iterable[J], folder: Path, subject: Facts
    ) -> int:
        """The number of the jobs' shards, after those that were missing, damaged or of anything else are counted.

        folder: where their folder `shards` is. subject: what they are of, beside what the manifest says.
        """
        digests = dict[str, str]()
        of = self._identity(folder, subject)
        run_folder.clear_leftovers(folder)

        def missing() -> Iterator[J]:
            for job in jobs:
                path = shard_path(folder, job.shard.number)
                digests[path.name] = ""  # in the order of the shards
                try:
                    facts = read_shard(path, of)
                except run_folder.DamagedError:
                    yield job
                else:
                    digests[path.name] = facts["sha256"]
                    self.reporter.counted_before(job.shard, facts)

        self.reporter.report("running")  # a run of one shard would otherwise report nothing until its end
        for job, made in self._completed(count, missing(), of):
            path, facts = shard_path(folder, job.shard.number), json.loads(made[run_folder.FACTS])
            clear_shard(path)
            run_folder.write_folder(path, made)
            digests[path.name] = facts["sha256"]
            self.reporter.counted(job.shard, facts)
        write_file(folder / run_folder.RECORDED, run_folder.to_json(digests))
        self._shards[of["place"]] = digest_of(digests)
        return len(digests)

    def add_counted(self, folder: Path, subject: Facts) -> None:
        """Take shards of an earlier run into the tables. Raises DamagedError as `pool`."""
        of = self._identity(folder, subject)
        if (place := of["place"]) not in self._shards:
            self._shards[place] = check_shards(folder, of, self.manifest.get("shards", {}).get(place))

    @property
    def pooled(self) -> bool:
        """Whether the tables exist, and were made of the shards that are here."""
        made_of = self.manifest.get("shards", {})
        with suppress(run_folder.DamagedError):
            for place, digest in made_of.items():
                check_shards(self.folder / place, None, digest)
            counted_are_in_them = self._shards.items() <= made_of.items()
            return counted_are_in_them and bool(made_of) and bool(run_folder.read_tables(self.folder, self.manifest))
        return False

    def pool(self, tables: Callable[[], Mapping[str, bytes]]) -> None:
        """Write the tables of the run. Raises DamagedError unless exactly the shards that were counted are here."""
        self.reporter.report("pooling")
        for place, digest in self._shards.items():
            check_shards(self.folder / place, None, digest)
        self.manifest = run_folder.replace_tables(self.folder, {**self.manifest, "shards": self._shards}, tables())

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """The results for all items in their order; processes of this machine, which see the folder, share the work."""
        own = len(items) > 1 and isinstance(self._executor, ProcessPoolExecutor)
        executor, waiting = self._executor if own else InProcess(), deque[Future]()
        for item in items:
            waiting.append(executor.submit(work, item))
            if len(waiting) >= self._in_flight:
                yield waiting.popleft().result()
        yield from (future.result() for future in waiting)

    def _identity(self, folder: Path, subject: Facts) -> dict[str, Any]:
        """What the shards in a folder are of: place, subject, and a digest of every part of the manifest."""
        of = {"place": folder.relative_to(self.folder).as_posix(), "subject": digest_of(subject)}
        return of | {part: digest_of(self.manifest[part]) for part in self._parts}

    def _completed(
        self, count: Callable[[J], ShardResult], jobs: Iterator[J], of: Facts
    ) -> Iterator[tuple[J, dict[str, bytes]]]:
        """Each job with the files of its shard, as soon as it is counted; a few jobs are submitted at a time."""
        waiting: dict[Future, J] = {}
        while True:
            while len(waiting) < self._in_flight and (one := next(jobs, None)) is not None:
                made = self._executor.submit(count_to_bytes, one, count, of)
                waiting[made] = one
            if not waiting:
                return
            for future in wait(waiting, timeout=1.0, return_when=FIRST_COMPLETED).done:
                job = waiting.pop(future)
                try:
                    yield job, future.result()
                except (InputError, BrokenExecutor):
                    raise
                except Exception as error:  # a machine of a cluster may fail in any way
                    where = " to ".join(dict.fromkeys(job.shard.pieces[at].name for at in (0, -1)))
                    why = f"{type(error).__name__}: {cause(error)}"
                    raise RunError(f"The texts {where} failed ({why}). {AGAIN}") from error


@contextmanager
def open_run_folder(kind: Kind, folder: Path, workers: Workers = ALONE) -> Iterator[Run]:
    """Context manager with a run that locks its folder; any error in the block is raised as an InputError.

    Raises RunError if the folder has other files, or if another process works in it.
    """
    run_folder.refuse_others(folder, kind)
    with lock(folder):
        run_folder.begin_manifest(folder, kind)
        reporter = Reporter(folder, workers.progress)
        try:
            run_folder.clear_leftovers(folder)
            reporter.report("starting")
            yield Run(kind, folder, workers, reporter)
            reporter.end("finished")
        except (KeyboardInterrupt, InputError, OSError, BrokenExecutor) as error:
            refusal = in_a_sentence(error, folder)
            with suppress(OSError):  # on a full disk not even this may fit
                reporter.end("cancelled" if isinstance(refusal, RunCancelled) else "failed", str(refusal))
            if refusal is error:
                raise
            raise refusal from error


def _difference(part: str, kept: Any, now: Any) -> str | None:
    """A phrase for the first difference between two manifests; paths of corpus and model are not compared."""
    if not isinstance(now, dict):
        return None if kept == now else f"{part} ({kept}, now {now})"
    kept = kept if isinstance(kept, dict) else {}
    name = {"settings": "setting", "software": "version of the software"}.get(part, part)
    for key in sorted((kept.keys() | now.keys()) - {*run_folder.PLACES}):
        if kept.get(key) != now.get(key):
            changed = f"{name}: {key} = {kept.get(key)}, now {now.get(key)}"
            phrases = {"fingerprint": "corpus (its texts have changed)"}
            return f"definition of what it counts ({key})" if part == "counts" else phrases.get(key, changed)
    return None
