"""The way of a study: lock the folder, check the manifest, count the shards that are missing, pool them.

    run_study(Corpus("novels/"), ModelSpec(), Path("studies/novels"))

A study may be killed at any moment and started again: finished shards stay, and the tables come out the same to the
last bit, whoever counted them. The work goes through a `concurrent.futures.Executor`: none (in this process), a process
pool, Dask (`Client.get_executor()`), or any other.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from attn_core.io.paths import shown
from attn_core.models.files import ModelSpec
from attn_core.runs import folder as files
from attn_core.runs.errors import RunError
from attn_core.runs.executors import MakeExecutor, Source
from attn_core.runs.job import ModelFacts
from attn_core.runs.kinds import KINDS
from attn_core.runs.model import describe
from attn_core.runs.progress import Progress, Reporter
from attn_core.runs.resumable import agreed_manifest, at_work, completed, counts_alike, is_counted, made_by
from attn_core.study.corpus import Corpus
from attn_core.study.kept_examples import Kept
from attn_core.study.opened import FORMAT, Study, open_study
from attn_core.study.plan import shards
from attn_core.study.pooled import pooled_files
from attn_core.study.settings import DEFAULT, Job, StudySettings
from attn_core.study.worker import count_shard


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
) -> Study:
    """Count what is not counted yet, and pool. Returns the finished study.

    executor: an executor, or a function that makes one (a broken one is then replaced). in_flight: shards handed out at
    a time, about twice the workers. threads: of torch in each worker.

    Raises InputError, in one sentence, where the study cannot begin or go on; what was counted stays.
    """
    with at_work(out, executor, in_flight, progress) as (source, reporter):
        return _run(corpus, spec, out, settings, source, threads, reporter)


def _run(
    corpus: Corpus,
    spec: ModelSpec,
    out: Path,
    settings: StudySettings,
    source: Source,
    threads: int | None,
    reporter: Reporter,
) -> Study:
    corpus.check(out)
    fingerprint = corpus.fingerprint()
    facts = source.ask(describe, spec, threads)
    manifest = _manifest(corpus, fingerprint, facts, settings)
    kept = agreed_manifest(out, manifest)
    if not counts_alike(kept, manifest):
        return _finished(out, reporter)
    examples = Kept(out)
    if not examples.whole:
        files.remove_shards(out)  # at once: cut off again, what is counted by then has its examples
    todo = _jobs(corpus, out, spec, facts, settings, threads, reporter)
    reporter.tell("running")  # a small study has one shard, and would say nothing before it is counted
    for job, counted in completed(count_shard, todo, source):
        examples.add(counted.examples)
        files.write_folder(files.shard_path(out, job.shard.number), counted.files)
        reporter.counted(job.shard, counted)
    if not files.shard_paths(out):
        raise RunError(f"There is no text at {shown(corpus.source)}: every file is empty.")
    if not files.is_whole(out / files.TABLES):  # whole tables stay right: a shard counted again is the same shard
        reporter.tell("pooling")
        files.write_folder(out / files.TABLES, pooled_files(out, kept, examples.table))
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
                   "documents": corpus.documents, "limit": corpus.limit, "groups": corpus.groups},
        "settings": {**chosen.pop("analysis"), **chosen},
        **made_by(KINDS["study"]),
    }  # fmt: skip


def _jobs(
    corpus: Corpus,
    out: Path,
    spec: ModelSpec,
    facts: ModelFacts,
    settings: StudySettings,
    threads: int | None,
    reporter: Reporter,
) -> Iterator[Job]:
    """The shards that are not there yet, or not whole.

    What lies there beyond the last shard is removed.
    """
    planned = set()
    for shard in shards(corpus, settings.shard_characters):
        planned.add(files.shard_path(out, shard.number))
        if not is_counted(out, shard, reporter):
            yield Job(shard, spec, facts, threads, KINDS["study"].digest, settings)
    for stray in set(files.shard_paths(out)) - planned:
        if not files.remove_folder(stray):
            raise RunError(f"{shown(stray)} is no shard of this study: move it elsewhere, and start the study again.")
