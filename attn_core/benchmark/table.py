"""The parts of the benchmark as one table: ratios of times taken in one run, on one machine."""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from attn_core.benchmark.dashboard import rows_of_reruns, rows_of_starts
from attn_core.benchmark.rounds import Row
from attn_core.benchmark.studies import rows_of_growth, rows_of_memory, rows_of_throughput, rows_of_workers
from attn_core.benchmark.text import rows_of_a_text, rows_of_removals
from attn_core.io.tables import software
from attn_core.tensors import torch


def benchmark(parts: Sequence[str], windows: int | None, memory_windows: int) -> None:
    """Run the parts and print them as one table in Markdown, each row as soon as it is known."""
    print(machine(), end="\n\n")
    print("| what | measured | ratio | target |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        rows: dict[str, Callable[[], Iterator[Row]]] = {
            "text": partial(rows_of_a_text, folder),
            "study": partial(rows_of_throughput, folder, windows or 24),
            "memory": partial(rows_of_memory, folder, memory_windows),
            "workers": partial(rows_of_workers, folder, windows or 48),
            "growth": partial(rows_of_growth, folder, windows or 48),
            "removals": rows_of_removals,
            "start": partial(rows_of_starts, folder),
            "pages": rows_of_reruns,
        }
        for part in parts:
            for row in rows[part]():
                print("| " + " | ".join(row) + " |", flush=True)


def machine() -> str:
    """The machine and the software in a line."""
    cpu = platform.processor() or platform.machine()
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), cpu)
    gpu = f", {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    versions = software()
    return (
        f"{cpu}, {os.cpu_count()} cores{gpu}{load}; Python {versions['python']}, torch {versions['torch']} on "
        f"{torch.get_num_threads()} threads, transformers {versions['transformers']}"
    )
