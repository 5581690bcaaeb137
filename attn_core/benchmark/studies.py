"""Studies: throughput beside the bare model, memory that stays flat, and how far workers help."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from attn_core.benchmark.rounds import BERT_BASE, Row, bare_pass, passages_of, save_random_bert, times, write_prose
from attn_core.models.files import ModelSpec
from attn_core.models.loading import model_of
from attn_core.models.records import LoadedModel
from attn_core.models.windows import batches
from attn_core.runs.executors import Processes
from attn_core.runs.progress import Progress
from attn_core.runs.run import Workers
from attn_core.study.corpus import Corpus
from attn_core.study.runner import run_study
from attn_core.study.settings import DEFAULT, StudySettings
from attn_core.texts.passages import Passage

TINY = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64, "intermediate_size": 128}


def rows_of_throughput(folder: Path, windows: int) -> Iterator[Row]:
    """Windows a second of a study beside the bare batched forward pass; folder: an empty one."""
    corpus = Corpus(str(write_prose(folder / "prose", windows, per_text=4)))
    settings = StudySettings(shard_characters=8_000)  # a text each, so that the workers end together
    bert = save_random_bert(folder / "bert-base", **BERT_BASE)
    shapes = {"bert-base, random": (bert, ">= 85 %"), "all-MiniLM-L6-v2": (ModelSpec(), ">= 60 %")}
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

        def whole(executor: Executor | None, spec: ModelSpec = spec) -> None:
            shutil.rmtree(folder / "study", ignore_errors=True)
            run_study(corpus, spec, folder / "study", settings, Workers(executor, 2 * cores, 1 if executor else None))

        with Processes(cores) as pool:
            seconds = times({"bare": forward, "alone": partial(whole, None), "pool": partial(whole, pool)}, rounds=2)
        bare = len(passages) / seconds["bare"]
        for how, way in (("in this process", "alone"), (f"{cores} workers of one thread", "pool")):
            yield (
                f"study of {len(passages)} windows, {name}, {how}: throughput beside the bare batched forward on all cores",
                f"{len(passages) / seconds[way]:.2f} of {bare:.2f} windows/s",
                f"{seconds['bare'] / seconds[way]:.0%}",
                target if way == "pool" else "",
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
