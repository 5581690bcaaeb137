"""By which law a study grows: workers side by side, the process that hands out, the pooling at the end; a million windows."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from attn_core.benchmark.rounds import Row, save_random_bert, sentences, write_prose
from attn_core.models.files import ModelSpec
from attn_core.runs.progress import Progress, Status, duration
from attn_core.runs.run import Workers
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import StudySettings

WORKERS = (1, 2, 4, 8)
TEXTS = (500, 2000)  # of a sentence or two each, that are pooled
NARROW = {
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "hidden_size": 48,
    "intermediate_size": 48,
}  # MiniLM's heads
MILLION = 1_000_000
HUNDRED = 100
A_SHARD = 60  # windows, with the settings' default


@dataclass(frozen=True)
class Took:
    """Of a study: windows, shards, seconds and processor seconds of this process while it ran, the same while pooling, bytes."""

    windows: int
    shards: int
    running: tuple[float, float]
    pooling: tuple[float, float]
    size: int


def rows_of_growth(folder: Path, windows: int) -> Iterator[Row]:
    """Studies of so many windows by 1 to 8 workers of Dask, where it is installed, and of many texts that take little to read."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        yield "studies by 1 to 8 Dask workers of one thread", "Dask is not installed", "", ""
        return
    prose, settings = str(write_prose(folder / "growth", windows, per_text=4)), StudySettings(shard_characters=8_000)
    rates, handing = [], 0.0
    for workers in WORKERS:
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):

            def counted(corpus: Corpus, name: str, pool: Executor, in_flight: int = 2 * workers) -> Took:
                return _took(corpus, ModelSpec(), folder / f"{name}-{in_flight}", settings, pool, in_flight)

            counted(
                Corpus(prose, limit=2 * workers), "warm", client.get_executor(pure=False)
            )  # loads the workers' models
            took = counted(Corpus(prose), "all", client.get_executor(pure=False))
        handing = took.running[1] / took.shards
        rates.append(took.windows / took.running[0])
        yield (
            f"study by {workers} Dask workers of one thread, {os.cpu_count()} cores; processor time of what hands out",
            f"{rates[-1]:.2f} windows/s, {1e3 * handing:.0f} ms a shard of {took.windows / took.shards:.1f} windows",
            f"{rates[-1] / rates[0]:.2f} x",
            "",
        )
    yield from _rows_of_pooling(folder, rates[0], handing)


def _rows_of_pooling(folder: Path, rate: float, handing: float) -> Iterator[Row]:
    """What the end of a study takes by its texts, and what all of it would take of a million windows.

    rate: windows a second of one worker. handing: processor seconds a shard of the process that hands out.
    """
    spec, told = save_random_bert(folder / "narrow", **NARROW), []
    for texts in TEXTS:
        corpus = Corpus(str(_write_short(folder / f"short-{texts}.txt", texts)), documents="line")
        took = _took(corpus, spec, folder / f"short-study-{texts}", StudySettings())
        told.append((took.windows, took.pooling[0]))
        yield (
            f"pooling a study of {took.windows:,} windows, as many texts, 6 layers x 12 heads; on disk",
            f"{took.pooling[0]:.1f} s, {took.size / 1e6:.1f} MB",
            f"{1e3 * took.pooling[0] / took.windows:.2f} ms, {took.size / took.windows / 1e3:.1f} kB a window",
            "",
        )
    (few, sooner), (many, later) = told
    pooling = MILLION * (later - sooner) / (many - few)
    counting, shards = MILLION / rate / HUNDRED, MILLION / A_SHARD
    yield (
        f"so a million windows of all-MiniLM-L6-v2: {HUNDRED} workers; what hands out {shards:,.0f} shards; pooling",
        f"{duration(counting)}; {duration(shards * handing)}; {duration(pooling)}",
        f"{shards * handing / counting:.0%} of a core hands out",
        "",
    )


def _took(
    corpus: Corpus,
    spec: ModelSpec,
    out: Path,
    settings: StudySettings,
    executor: Executor | None = None,
    in_flight: int = 1,
) -> Took:
    at: dict[Status, tuple[float, float]] = {}
    counted = shards = 0

    def note(progress: Progress) -> None:
        nonlocal counted, shards
        counted, shards = max(counted, progress.windows), max(shards, progress.shards)
        at.setdefault(progress.status, (time.perf_counter(), time.process_time()))

    run_study(corpus, spec, out, settings, Workers(executor, in_flight, 1 if executor else None, note))
    seconds, processor = zip(at["running"], at["pooling"], at["finished"], strict=True)
    return Took(
        counted,
        shards,
        (seconds[1] - seconds[0], processor[1] - processor[0]),
        (seconds[2] - seconds[1], processor[2] - processor[1]),
        sum(file.stat().st_size for file in out.rglob("*") if file.is_file()),
    )


def _write_short(file: Path, texts: int) -> Path:
    """So many lines, each some sentences of a sample text one after another."""
    pieces = sentences()
    lines = (" ".join(pieces[(at + step) % len(pieces)] for step in range(4)) for at in range(texts))
    file.write_text("\n".join(lines), encoding="utf-8")
    return file
