"""The way of a study: lock the folder, check the manifest, count the shards that are missing, pool them.

    run_study(Corpus("novels/"), ModelSpec(), Path("studies/novels"))

A study may be killed at any moment and started again: finished shards stay, and the tables come out the same to the
last bit, whoever counted them. The work goes through a `concurrent.futures.Executor`: none (in this process), a process
pool, Dask (`Client.get_executor()`), or any other.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import asdict
from pathlib import Path
from typing import Any

from attn_core import __version__
from attn_core.errors import InputError, cause
from attn_core.export import software
from attn_core.model_files import ModelSpec
from attn_core.paths import shown
from attn_core.program import counting_digest
from attn_core.study import folder as files
from attn_core.study.corpus import Corpus
from attn_core.study.errors import StudyCancelled, StudyError
from attn_core.study.executors import ATTEMPTS, MakeExecutor, Source
from attn_core.study.job import Counted, Job, ModelFacts
from attn_core.study.opened import FORMAT, Study, open_study
from attn_core.study.plan import Shard, shards
from attn_core.study.pooled import pooled_files
from attn_core.study.progress import Progress, Reporter, reporting
from attn_core.study.settings import DEFAULT, StudySettings
from attn_core.study.worker import count_shard, describe

LAUNCHER = ("command.json", "log.txt")  # what a program that starts a study may have put there


def run_study(
    corpus: Corpus,
    spec: ModelSpec,
    out: Path,
    settings: StudySettings = DEFAULT,
    executor: Executor | MakeExecutor | None = None,
    *,
    in_flight: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Study:
    """Count what is not counted yet, and pool. Returns the finished study.

    executor: an executor, or a function that makes one (a broken one is then replaced). in_flight: shards handed out at
    a time, about twice the workers. threads: of torch in each worker. cancel is asked between shards.

    Raises InputError, in one sentence, where the study cannot begin or go on; what was counted stays.
    """
    _refuse_other_files(out)
    with files.lock(out), reporting(out, progress) as reporter:
        files.clear_leftovers(out)
        reporter.tell("starting")
        source = Source(executor, in_flight)
        try:
            return _run(corpus, spec, out, settings, source, threads, reporter, cancel)
        finally:
            source.close()


def _run(
    corpus: Corpus,
    spec: ModelSpec,
    out: Path,
    settings: StudySettings,
    source: Source,
    threads: int | None,
    reporter: Reporter,
    cancel: Callable[[], bool] | None,
) -> Study:
    corpus.check()
    fingerprint = corpus.fingerprint()
    facts = source.ask(describe, spec, threads)
    manifest = _manifest(corpus, fingerprint, facts, settings)
    kept = _agreed_manifest(out, manifest)
    if not _counts_alike(kept):
        return _finished(out, reporter)
    todo = _jobs(corpus, out, spec, facts, settings, threads, reporter)
    for job, counted in _completed(todo, source, cancel):
        files.write_folder(
            files.shard_path(out, job.shard.number), {f"{name}.parquet": data for name, data in counted.files.items()}
        )
        reporter.counted(job.shard, counted)
    if not files.shard_paths(out):
        raise StudyError(f"There is no text at {shown(corpus.source)}: every file is empty.")
    if not files.is_whole(out / files.TABLES):  # whole tables stay right: a shard counted again is the same shard
        reporter.tell("pooling")
        files.write_folder(out / files.TABLES, pooled_files(out, kept))
    return _finished(out, reporter)


def _finished(out: Path, reporter: Reporter) -> Study:
    reporter.tell("finished")
    return open_study(out)


def _manifest(corpus: Corpus, fingerprint: str, facts: ModelFacts, settings: StudySettings) -> dict[str, Any]:
    chosen = asdict(settings)
    return {
        "format": FORMAT,
        "model": asdict(facts),
        "corpus": {"source": str(corpus.source), "fingerprint": fingerprint, "column": corpus.column,
                   "documents": corpus.documents, "limit": corpus.limit},
        "settings": {**chosen.pop("analysis"), **chosen},
        "program": {"version": __version__, "counting": counting_digest()},
        "software": software(),
    }  # fmt: skip


def _refuse_other_files(out: Path) -> None:
    """Raises StudyError where a folder is somebody else's; nothing is written into it then."""
    if out.exists() and not out.is_dir():
        raise StudyError(f"{shown(out)} is a file: choose a folder for the study.")
    own = {files.LOCK, files.PROGRESS, *LAUNCHER}
    others = sorted({path.name for path in out.iterdir()} - own) if out.is_dir() else []
    if others and not (out / files.MANIFEST).exists():
        raise StudyError(f"{shown(out)} holds other files ({shown(others[0])}) and no study: choose an empty folder.")


def _agreed_manifest(out: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """Write the manifest, or hold it against the one that is there. Raises StudyError where they differ."""
    kept = files.read_manifest(out)
    if kept is None:
        files.write_file(out / files.MANIFEST, files.to_json(manifest))
        return manifest
    for part in ("format", "model", "settings", "corpus", "software"):
        if difference := _difference(part, kept.get(part), manifest[part]):
            raise StudyError(
                f"{shown(out)} holds a study with another {difference}: choose a new folder, or go back to what it had."
            )
    if not _counts_alike(kept) and not files.is_whole(out / files.TABLES):
        raise StudyError(f"{shown(out)} holds a study begun by a program that counts differently: choose a new folder.")
    return kept


def _counts_alike(manifest: dict[str, Any]) -> bool:
    """Whether the program that began a study counts as this one does."""
    return manifest.get("program", {}).get("counting") == counting_digest()


def _difference(part: str, kept: Any, now: Any) -> str | None:
    """The first thing in which two manifests differ, in words. Where a corpus lies makes no difference."""
    if part == "format":
        return None if kept == now else f"format ({kept}, now {now})"
    kept = kept if isinstance(kept, dict) else {}
    names = {"model": "model", "settings": "setting", "software": "version of the software", "corpus": "corpus"}
    for key in sorted(kept.keys() | now.keys()):
        if kept.get(key) == now.get(key) or key == "source":
            continue
        if key == "fingerprint":
            return "corpus (its texts have changed)"
        return f"{names[part]}: {key} = {kept.get(key)}, now {now.get(key)}"
    return None


def _jobs(
    corpus: Corpus,
    out: Path,
    spec: ModelSpec,
    facts: ModelFacts,
    settings: StudySettings,
    threads: int | None,
    reporter: Reporter,
) -> Iterator[Job]:
    """The shards that are not there yet, or not whole. What lies there beyond the last shard is removed."""
    planned = set()
    for shard in shards(corpus, settings.shard_characters):
        path = files.shard_path(out, shard.number)
        planned.add(path)
        if files.is_whole(path):
            reporter.found(shard, path)
        else:
            yield Job(shard, spec, facts, settings, threads, counting_digest())
    for stray in set(files.shard_paths(out)) - planned:
        files.remove(stray)


def _completed(jobs: Iterator[Job], source: Source, cancel: Callable[[], bool] | None) -> Iterator[tuple[Job, Counted]]:
    """Hand jobs out, a few at a time; what a dying worker had in hand is handed out again."""
    waiting: dict[Future, tuple[Job, Executor]] = {}
    attempts: dict[int, int] = {}
    again: list[Job] = []
    while True:
        if cancel is not None and cancel():
            raise StudyCancelled
        while len(waiting) < source.in_flight and (job := again.pop() if again else next(jobs, None)) is not None:
            attempts[job.shard.number] = attempts.get(job.shard.number, 0) + 1
            future, executor = source.submit(count_shard, job)
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
                    raise StudyError(_gave_up(job.shard, error)) from error
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
