"""The commands `study` and `benchmark`. Nothing heavy is imported before one of them runs."""

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attn_core.commands.options import (
    add_control,
    add_language,
    add_model,
    add_pairs,
    chosen_settings,
    few,
    path,
    positive,
    seed,
    under_control,
)
from attn_core.errors import InputError
from attn_core.paths import shown


def add_commands(commands: Any) -> None:
    """Add both to the subcommands of a parser."""
    study = commands.add_parser("study", help="ask the same of a whole corpus: pooled tables with 95 %% intervals")
    study.add_argument("texts", help="a folder, a glob in quotes, or a .txt, .md, .jsonl, .csv or .parquet file")
    study.add_argument("--out", type=path, required=True, help="folder of the study; the same command goes on in it")
    study.add_argument("--column", help="the column of .jsonl, .csv and .parquet that holds the texts")
    study.add_argument(
        "--documents",
        choices=["file", "blank-line", "line"],
        default="file",
        help="what one text of a text file is: the file, a block between blank lines, or a line (default: file)",
    )
    study.add_argument("--limit", type=positive, help="only the first so many texts")
    add_model(study)
    add_language(study)
    add_pairs(study)
    add_control(study)
    study.add_argument("--seed", type=seed, default=0, help="of the bootstrap (default: 0)")
    study.add_argument("--workers", type=few, default=1, help="processes that share the cores (default: 1)")
    study.add_argument("--dask", metavar="ADDRESS", help="a Dask scheduler, e.g. tcp://10.0.0.1:8786, instead")
    study.add_argument(
        "--shard-characters", type=positive, help="text that is counted at once (default: up to 128,000)"
    )
    study.add_argument("--threads", type=few, help="torch threads a worker (default: cores / workers)")
    study.set_defaults(run=run_study_command)
    benchmark = commands.add_parser("benchmark", help="time the analysis and a study against the bare model")
    benchmark.add_argument("--windows", type=positive, default=48, help="windows of the study (default: 48)")
    benchmark.add_argument(
        "--memory", type=positive, default=200, help="windows of the small memory run; the other has ten times as many"
    )
    benchmark.add_argument("--only", nargs="+", metavar="PART", help="parts to run: text study memory workers")
    benchmark.set_defaults(run=run_benchmark_command)


def run_study_command(options: argparse.Namespace) -> None:
    """`python -m attn_core study TEXTS --out FOLDER`."""
    from attn_core.study.corpus import Corpus
    from attn_core.study.plan import sensible_size
    from attn_core.study.progress import Progress
    from attn_core.study.runner import run_study
    from attn_core.study.settings import StudySettings

    def show(progress: Progress) -> None:
        print(f"\r{progress}   ", end="\n" if progress.status != "running" else "", file=sys.stderr, flush=True)

    corpus = Corpus(options.texts, options.column, options.documents, options.limit)
    spec, layout = under_control(options)
    settings = StudySettings(
        chosen_settings(options),
        layout,
        options.language,
        shard_characters=options.shard_characters or sensible_size(corpus),
        seed=options.seed,
    )
    with _terminated_as_interrupted(), _workers(options) as (executor, in_flight, threads):
        study = run_study(
            corpus,
            spec,
            options.out,
            settings,
            executor,
            in_flight=in_flight,
            threads=threads,
            progress=show,
        )
    size = study.provenance
    if not size["windows"]:
        first = study.table("bad_texts").iloc[0]
        raise InputError(
            f"No text could be counted: {size['bad_texts']:,} of {size['bad_texts']:,} are bad, such as {first['name']} "
            f"({first['reason']}); bad_texts.csv in {shown(study.folder / 'tables')} lists them all."
        )
    print(
        f"{size['texts']:,} texts in {size['windows']:,} windows, {size['bad_texts']:,} bad texts: "
        f"tables in {shown(study.folder / 'tables')}"
    )


def run_benchmark_command(options: argparse.Namespace) -> None:
    """`python -m attn_core benchmark`."""
    from attn_core.study.benchmark import PARTS, benchmark

    benchmark(options.only or list(PARTS), options.windows, options.memory)


@contextmanager
def _workers(options: argparse.Namespace) -> Iterator[tuple[Any, int | None, int | None]]:
    """The executor, the number of shards to hand out at a time, and the threads of a worker."""
    import os

    from attn_core.study.executors import process_pool

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if options.dask is not None:
        try:
            from distributed import Client
        except ImportError:
            raise InputError("Dask is not installed: pip install distributed.") from None
        try:
            client = Client(options.dask, timeout="10s")
        except Exception:  # every kind of address has exceptions of its own, from ValueError to TypeError
            raise InputError(
                f"There is no Dask scheduler at {options.dask!r}: give its address, such as tcp://10.0.0.1:8786."
            ) from None
        with client:
            in_flight = 2 * sum(client.nthreads().values())
            yield client.get_executor(pure=False), max(in_flight, 2), options.threads
    elif options.workers > 1:
        threads = options.threads or max(1, cores // options.workers)
        yield process_pool(options.workers), 2 * options.workers, threads
    else:
        yield None, None, options.threads


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """A polite request to end (SIGTERM) stops a study as Ctrl-C does."""

    def interrupt(_signal: int, _frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
