"""What every long count keeps to: a folder of its own, a manifest that must agree, and jobs that survive their workers.

Which part of a study is counted already, and which is counted now, `runner` decides with it.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from attn_core import __version__
from attn_core.errors import InputError, cause
from attn_core.io.paths import shown
from attn_core.io.tables import software
from attn_core.runs import folder as files
from attn_core.runs.errors import RunError
from attn_core.runs.executors import ATTEMPTS, MakeExecutor, Source
from attn_core.runs.job import Counted, Shard
from attn_core.runs.kinds import Kind
from attn_core.runs.lock import lock
from attn_core.runs.ownership import refuse_others
from attn_core.runs.progress import Progress, Reporter, reporting


@contextmanager
def at_work(
    out: Path,
    executor: Executor | MakeExecutor | None,
    in_flight: int | None,
    progress: Callable[[Progress], None] | None,
    what: str = "study",
) -> Iterator[tuple[Source, Reporter]]:
    """Hold a folder while it is counted in: who does the work, and who tells how far it is. Arguments as of `run_study`.

    what: is counted, in a word.

    Raises RunError where the folder is somebody else's, or another process works in it.
    """
    refuse_others(out, what)
    with lock(out), reporting(out, progress) as reporter:
        files.clear_leftovers(out)
        reporter.tell("starting")
        source = Source(executor, in_flight)
        try:
            yield source, reporter
        finally:
            source.close()


class OfShard(Protocol):
    """A job is to count a shard."""

    @property
    def shard(self) -> Shard: ...


J = TypeVar("J", bound=OfShard)


def made_by(kind: Kind) -> dict[str, Any]:
    """What a manifest says of the program: its version, the digest of what counts, and the libraries below."""
    return {"program": {"version": __version__, "counting": kind.digest}, "software": software()}


def is_counted(out: Path, shard: Shard, reporter: Reporter) -> bool:
    """Whether an earlier run has counted a shard whole, which is then told."""
    path = files.shard_path(out, shard.number)
    whole = files.is_whole(path)
    if whole:
        reporter.counted_before(shard, path)
    return whole


def agreed_manifest(out: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """Write the manifest, or hold it against the one that is there. Raises RunError where they differ."""
    kept = files.read_manifest(out)
    if kept is None:
        files.write_file(out / files.MANIFEST, files.to_json(manifest))
        return manifest
    for part in ("format", "model", "settings", "corpus", "software"):
        if difference := _difference(part, kept.get(part), manifest[part]):
            raise RunError(
                f"What {shown(out)} holds has another {difference}: choose a new folder, or go back to what it had."
            )
    if not counts_alike(kept, manifest) and not files.is_whole(out / files.TABLES):
        raise RunError(f"What {shown(out)} holds was begun by a program that counts differently: choose a new folder.")
    return kept


def counts_alike(kept: dict[str, Any], manifest: dict[str, Any]) -> bool:
    """Whether the program that began a study counts as this one does."""
    return kept.get("program", {}).get("counting") == manifest["program"]["counting"]


def _difference(part: str, kept: Any, now: Any) -> str | None:
    """The first thing in which two manifests differ, in words. Where a corpus or a model lies makes no difference."""
    if part == "format":
        return None if kept == now else f"format ({kept}, now {now})"
    kept = kept if isinstance(kept, dict) else {}
    names = {"model": "model", "settings": "setting", "software": "version of the software", "corpus": "corpus"}
    for key in sorted(kept.keys() | now.keys()):
        if kept.get(key) == now.get(key) or key in ("source", "place"):
            continue
        if key == "fingerprint":
            return "corpus (its texts have changed)"
        return f"{names[part]}: {key} = {kept.get(key)}, now {now.get(key)}"
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
