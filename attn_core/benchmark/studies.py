"""Studies: throughput beside the bare model, memory that stays flat, how far workers help, and by which law a study grows.

The law: workers side by side, the process that hands out, the pooling at the end; a million windows.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from attn_core.benchmark.rounds import (
    BERT_BASE,
    Row,
    bare_pass,
    passages_of,
    save_random_bert,
    sentences,
    times,
    write_prose,
)
from attn_core.models.files import ModelSpec
from attn_core.models.loading import model_of
from attn_core.models.records import LoadedModel
from attn_core.models.windows import batches
from attn_core.runs.executors import Processes
from attn_core.runs.progress import Progress, Status, duration
from attn_core.runs.run import Workers
from attn_core.study.corpus import Corpus
from attn_core.study.plan import sensible_size
from attn_core.study.runner import run_study
from attn_core.study.settings import DEFAULT, StudySettings
from attn_core.texts.passages import Passage

TINY = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64, "intermediate_size": 128}
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


def rows_of_throughput(folder: Path, windows: int) -> Iterator[Row]:
    """Windows a second of a study beside the bare batched forward pass; folder: an empty one."""
    corpus = Corpus(str(write_prose(folder / "prose", windows, per_text=4)))
    settings = StudySettings(shard_characters=sensible_size(corpus))  # as the command has it: three texts
    bert = save_random_bert(folder / "bert-base", **BERT_BASE)
    shapes = {"bert-base, random": (bert, ">= 85%"), "all-MiniLM-L6-v2": (ModelSpec(), ">= 60%")}
    cores = os.cpu_count() or 1
    for name, (spec, target) in shapes.items():
        model = model_of(spec)
        passages = [p for text in corpus.texts() for p in passages_of(text.text or "", model)]
        groups = [
            [passages[index] for index in batch] for batch in batches([len(p) for p in passages], DEFAULT.batch_tokens)
        ]

        def forward(model: LoadedModel = model, groups: list[list[Passage]] = groups) -> None:
            for group in groups:
                bare_pass(model, group)

        def whole(pool: Executor, spec: ModelSpec = spec) -> None:
            shutil.rmtree(folder / "study", ignore_errors=True)
            run_study(corpus, spec, folder / "study", settings, Workers(pool, 2 * cores, 1))

        with Processes(cores) as pool:
            seconds = times({"bare": forward, "study": partial(whole, pool)}, rounds=2)
        yield (
            f"study of {len(passages)} windows, {name}, {cores} workers of one thread: throughput beside the bare batched "
            "forward on all cores",
            f"{len(passages) / seconds['study']:.2f} of {len(passages) / seconds['bare']:.2f} windows/s",
            f"{seconds['bare'] / seconds['study']:.0%}",
            target,
        )


def rows_of_memory(folder: Path, windows: int) -> Iterator[Row]:
    """Peak memory of a study, and of one of ten times as many windows."""
    spec = save_random_bert(folder / "tiny", **TINY)
    peaks = [
        _peak(write_prose(folder / f"memory-{n}", n), folder / f"memory-study-{n}", spec)
        for n in (windows, 10 * windows)
    ]
    yield (
        f"peak memory of a study, {windows:,} and {10 * windows:,} windows (2 layers x 4 heads)",
        f"{peaks[0]:.0f} and {peaks[1]:.0f} MB",
        f"{peaks[1] / peaks[0]:.2f} x",
        "<= 1.10 x",
    )


def _peak(corpus: Path, out: Path, spec: ModelSpec) -> float:
    """Peak resident memory in MB of a process that runs a study."""
    arguments = ["study", str(corpus), "--model", spec.name, "--out", str(out)]
    code = (
        "import resource, sys; from attn_core.__main__ import main; sys.argv[1:] = " + json.dumps(arguments) + "; "
        "assert main() == 0; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(ran.stdout.splitlines()[-1])


def rows_of_workers(folder: Path, windows: int) -> Iterator[Row]:
    """Two Dask workers beside one, where Dask is installed."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        yield "two Dask workers of one thread beside one", "Dask is not installed", "", ">= 1.7 x"
        return
    corpus = Corpus(str(write_prose(folder / "prose-workers", windows, per_text=4)))
    settings = StudySettings(shard_characters=8_000)
    rates = []
    for workers in (1, 2):
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            rate = _steady_rate(corpus, folder / f"dask-{workers}", settings, client, 2 * workers)
        rates.append(rate)
    yield (
        "two Dask workers of one thread beside one, all-MiniLM-L6-v2",
        f"{rates[1]:.2f} and {rates[0]:.2f} windows/s",
        f"{rates[1] / rates[0]:.2f} x",
        ">= 1.7 x",
    )


def _steady_rate(corpus: Corpus, out: Path, settings: StudySettings, client: Any, in_flight: int) -> float:
    """Windows a second once every worker has its model: from the end of the first round of shards on."""
    said: list[tuple[float, int]] = []

    def note(progress: Progress) -> None:
        if progress.status == "running":
            said.append((time.perf_counter(), progress.windows))

    run_study(corpus, ModelSpec(), out, settings, Workers(client.get_executor(pure=False), in_flight, 1, note))
    (start, before), (end, after) = said[in_flight], said[-1]
    return (after - before) / (end - start)


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
