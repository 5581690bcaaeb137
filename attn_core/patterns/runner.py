"""The way of `patterns`: what a study's folder, manifest and executors are, for annotated texts, and for a corpus and rules.

    score_patterns(annotated_files([Path("gum.conllu")]), ModelSpec(), Path("patterns/gum"))
    score_patterns(RuledCorpus(Corpus("novels/"), (rule_named("same_word"),), "auto"), ModelSpec(), Path("patterns/novels"))

It may be killed at any moment and started again: finished shards stay, and the tables come out the same.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attn_core.models.files import ModelSpec
from attn_core.patterns.job import PatternJob, Texts
from attn_core.patterns.opened import FORMAT, PatternScores, open_patterns
from attn_core.patterns.pooled import pooled_files
from attn_core.patterns.worker import count_patterns
from attn_core.runs import folder as files
from attn_core.runs.executors import MakeExecutor, Source
from attn_core.runs.job import ModelFacts
from attn_core.runs.kinds import KINDS
from attn_core.runs.model import describe
from attn_core.runs.progress import Progress, Reporter
from attn_core.runs.resumable import agreed_manifest, at_work, completed, counts_alike, is_counted, made_by
from attn_core.texts.passages import Layout

SHARD_CHARACTERS = 12_000  # about two documents, or forty snippets: what can be lost at once


@dataclass(frozen=True)
class PatternSettings:
    """What decides the numbers, apart from model and texts. draws: of the bootstrap."""

    layout: Layout = "plain"
    draws: int = 1000
    seed: int = 0


def score_patterns(
    given: Texts,
    spec: ModelSpec,
    out: Path,
    settings: PatternSettings = PatternSettings(),
    executor: Executor | MakeExecutor | None = None,
    *,
    in_flight: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> PatternScores:
    """Count what is not counted yet, and pool. Arguments as of `study.runner.run_study`.

    Raises InputError, in one sentence, where it cannot begin or go on; what was counted stays.
    """
    given.check()
    with at_work(out, executor, in_flight, progress, "scores") as (source, reporter):
        facts = source.ask(describe, spec, threads)
        manifest = _manifest(given, facts, settings)
        kept = agreed_manifest(out, manifest)
        if counts_alike(kept, manifest):
            _count(_jobs(given, out, spec, facts, settings, threads, reporter), source, out, reporter)
            if not files.is_whole(out / files.TABLES):
                reporter.tell("pooling")
                files.write_folder(out / files.TABLES, pooled_files(out, kept))
        reporter.tell("finished")
        return open_patterns(out)


def _count(jobs: Iterator[PatternJob], source: Source, out: Path, reporter: Reporter) -> None:
    for job, counted in completed(count_patterns, jobs, source):
        files.write_folder(files.shard_path(out, job.shard.number), counted.files)
        reporter.counted(job.shard, counted)


def _manifest(given: Texts, facts: ModelFacts, settings: PatternSettings) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "model": asdict(facts),
        "corpus": given.told,
        "settings": asdict(settings),
        **made_by(KINDS["patterns"]),
    }


def _jobs(
    given: Texts,
    out: Path,
    spec: ModelSpec,
    facts: ModelFacts,
    settings: PatternSettings,
    threads: int | None,
    reporter: Reporter,
) -> Iterator[PatternJob]:
    """The shards that are not there yet, or not whole."""
    for shard, within in given.shards(SHARD_CHARACTERS):
        if not is_counted(out, shard, reporter):
            counting = KINDS["patterns"].digest
            yield PatternJob(shard, spec, facts, threads, counting, within, settings.layout)
