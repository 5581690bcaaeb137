"""What the analysis costs beside the model itself: ratios of times taken side by side, in one run, on one machine.

    python -m attn_core benchmark

Networks are randomly initialised in the shape of bert-base (12 layers x 12 heads x 64): time does not depend on what a
network has learned. Rounds alternate between the ways that are compared, and the least disturbed round of each counts.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel

from attn_core.analysis import TABLES, Analysis, analyze
from attn_core.export import software
from attn_core.loaded_model import LoadedModel
from attn_core.model_files import ModelSpec, locate
from attn_core.passages import Passage, read_passages
from attn_core.similarity import number_of_strong_pairs
from attn_core.study.corpus import Corpus
from attn_core.study.executors import Processes
from attn_core.study.progress import Progress
from attn_core.study.runner import run_study
from attn_core.study.settings import DEFAULT, StudySettings
from attn_core.study.worker import batches, model_of
from attn_core.texts import read_document, samples

PARTS = ("text", "study", "memory", "workers", "start", "pages")
ROUNDS = 7
STARTS = 2
Row = tuple[str, str, str, str]  # what, measured, ratio, target
BERT_BASE = {"num_hidden_layers": 12, "num_attention_heads": 12, "hidden_size": 768, "intermediate_size": 3072}
TINY = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64, "intermediate_size": 128}


def benchmark(parts: Sequence[str], windows: int, memory_windows: int) -> None:
    """Run the parts and print them as one table in Markdown, each row as soon as it is known."""
    print(machine(), end="\n\n")
    print("| what | measured | ratio | target |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        rows: dict[str, Callable[[], Iterator[Row]]] = {
            "text": partial(_one_text, folder),
            "study": partial(_study, folder, windows),
            "memory": partial(_memory, folder, memory_windows),
            "workers": partial(_workers, folder, windows),
            "start": partial(_starts, folder),
            "pages": _pages,
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


def times(ways: dict[str, Callable[[], Any]], rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds of the fastest of several rounds, each round taking every way once; one round before it to warm up."""
    best = dict.fromkeys(ways, float("inf"))
    for round_number in range(rounds + 1):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            if round_number:
                best[name] = min(best[name], time.perf_counter() - start)
    return best


def save_random_bert(folder: Path, **shape: int) -> ModelSpec:
    """A randomly initialised BERT with the tokenizer of the model that the project installs."""
    if not folder.exists():
        torch.manual_seed(0)
        AutoTokenizer.from_pretrained(locate(ModelSpec())).save_pretrained(folder)
        BertModel(BertConfig.from_dict(shape)).save_pretrained(folder)
    return ModelSpec(str(folder))


def write_prose(folder: Path, windows: int, per_text: int = 20) -> Path:
    """Texts of about so many full windows in all, of shuffled sentences of the sample texts."""
    pieces = [s.text[a:b] for s in samples() if s.language == "en" for a, b in read_document(s.text).sentences]
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True)
    for number in range(-(-windows // per_text)):
        length = 0
        chosen: list[str] = []
        while length < 2050 * min(per_text, windows - number * per_text):  # about 2,050 characters fill a window
            chosen.append(pieces[rng.integers(len(pieces))].replace("\n", " "))
            length += len(chosen[-1]) + 1
        (folder / f"{number:05d}.txt").write_text(" ".join(chosen), encoding="utf-8")
    return folder


def _one_text(folder: Path) -> Iterator[Row]:
    spec = save_random_bert(folder / "bert-base", **BERT_BASE)
    model = model_of(spec)
    passage = _full_window(model)
    text = passage.document.text
    ways: dict[str, Callable[[], Any]] = {
        "bare": partial(_bare, model, [passage]),
        "analysis": lambda: _tables(analyze(text, model, window=0)),
        "today": _todays_way(Path(spec.name), passage),
    }
    lens = _transformer_lens(Path(spec.name), passage)
    if lens:
        ways["lens"] = lens
    found = times(ways)
    bare = found["bare"]
    yield f"one text of {len(passage)} tokens: bare SDPA forward", f"{bare * 1e3:.0f} ms", "1.00 x", ""
    yield (
        "the whole analysis: capture, strong pairs of 144 heads, all tables but `segments`, which reads the text again",
        *_slower(found["analysis"], bare, "<= 1.25 x"),
    )
    yield (
        "today's way: eager with output_attentions, hooks, a numpy loop over heads",
        *_slower(found["today"], bare, ""),
    )
    if "lens" in found:
        yield (
            "TransformerLens: run_with_cache, hook_z alone (its network ends in a word prediction)",
            *_slower(found["lens"], bare, ""),
        )


def _tables(analysis: Analysis) -> None:
    """Make every table that follows from the pass that was captured; `segments` runs the model anew, sentence by sentence."""
    for name in TABLES:
        if name != "segments":
            getattr(analysis, name)


def _slower(seconds: float, bare: float, target: str) -> tuple[str, str, str]:
    return f"{seconds * 1e3:.0f} ms", f"{seconds / bare:.2f} x", target


@torch.inference_mode()
def _bare(model: LoadedModel, passages: Sequence[Passage]) -> None:
    """The network as transformers runs it: outside `collecting`, its attention is SDPA."""
    longest = max(map(len, passages))
    ids = torch.full((len(passages), longest), model.pad_id)
    mask = torch.zeros_like(ids)
    for row, passage in enumerate(passages):
        ids[row, : len(passage)] = torch.from_numpy(passage.token_ids)
        mask[row, : len(passage)] = 1
    padded = None if bool(mask.all()) else mask.to(model.device)
    model.network(input_ids=ids.to(model.device), attention_mask=padded)


def _todays_way(folder: Path, passage: Passage) -> Callable[[], None]:
    """What a notebook does: every attention map and every head's output in numpy, the pairs head by head."""
    network = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    ids = torch.from_numpy(passage.token_ids)[None]
    seen: list[torch.Tensor] = []
    for layer in network.encoder.layer:
        layer.attention.self.register_forward_hook(lambda _module, _inputs, output: seen.append(output[0]))
    heads, upper = network.config.num_attention_heads, np.triu_indices(len(passage), k=1)
    keep = number_of_strong_pairs(len(upper[0]), 0.01)

    @torch.inference_mode()
    def run() -> None:
        seen.clear()
        maps = network(input_ids=ids, output_attentions=True).attentions
        for z, attention in zip(seen, maps, strict=True):
            received = attention[0].mean(dim=1).numpy()
            for head, vectors in enumerate(z[0].unflatten(-1, (heads, -1)).transpose(0, 1).numpy()):
                values = (vectors @ vectors.T)[upper]
                strongest = np.argsort(-values)[:keep]
                (upper[1][strongest] - upper[0][strongest]).mean(), received[head, passage.is_separator].sum()

    return run


def _transformer_lens(folder: Path, passage: Passage) -> Callable[[], None] | None:
    """The same head outputs through TransformerLens, where it is installed (4 or later)."""
    try:
        from transformer_lens.model_bridge import TransformerBridge
    except ImportError:
        return None
    network = TransformerBridge.boot_transformers(str(folder), device="cpu")
    ids = torch.from_numpy(passage.token_ids)[None]

    @torch.inference_mode()
    def run() -> None:
        network.run_with_cache(ids, names_filter=lambda name: name.endswith("hook_z"))

    return run


def _study(folder: Path, windows: int) -> Iterator[Row]:
    corpus = Corpus(str(write_prose(folder / "prose", windows, per_text=4)))
    settings = StudySettings(shard_characters=8_000)  # a text each, so that the workers end together
    shapes = {"bert-base, random": save_random_bert(folder / "bert-base", **BERT_BASE), "all-MiniLM-L6-v2": ModelSpec()}
    cores = os.cpu_count() or 1
    for name, spec in shapes.items():
        model = model_of(spec)
        passages = [p for text in corpus.texts() for p in _passages(text.text or "", model)]
        groups = [
            [passages[index] for index in batch] for batch in batches([len(p) for p in passages], DEFAULT.batch_tokens)
        ]

        def forward(model: LoadedModel = model, groups: list[list[Passage]] = groups) -> None:
            for group in groups:
                _bare(model, group)

        def whole(executor: Executor | None, spec: ModelSpec = spec) -> None:
            shutil.rmtree(folder / "study", ignore_errors=True)
            run_study(
                corpus, spec, folder / "study", settings, executor, in_flight=2 * cores, threads=1 if executor else None
            )

        with Processes(cores) as pool:
            found = times({"bare": forward, "alone": partial(whole, None), "pool": partial(whole, pool)}, rounds=2)
        bare = len(passages) / found["bare"]
        for how, way in (("in this process", "alone"), (f"{cores} workers of one thread", "pool")):
            yield (
                f"study of {len(passages)} windows, {name}, {how}: throughput beside the bare batched forward on all cores",
                f"{len(passages) / found[way]:.2f} of {bare:.2f} windows/s",
                f"{found['bare'] / found[way]:.0%}",
                ">= 80 %",
            )


def _memory(folder: Path, windows: int) -> Iterator[Row]:
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


def _workers(folder: Path, windows: int) -> Iterator[Row]:
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

    run_study(
        corpus,
        ModelSpec(),
        out,
        settings,
        client.get_executor(pure=False),
        in_flight=in_flight,
        threads=1,
        progress=note,
    )
    (start, before), (end, after) = said[in_flight], said[-1]
    return (after - before) / (end - start)


def _starts(folder: Path) -> Iterator[Row]:
    """From the start of the dashboard to its first chart, beside importing torch and transformers, a load and a pass."""
    model = str(locate(ModelSpec()))
    bare = (
        "import time; start = time.perf_counter(); import torch; from transformers import AutoModel, AutoTokenizer; "
        f"tokens = AutoTokenizer.from_pretrained({model!r})('The tide rose.', return_tensors='pt'); "
        f"AutoModel.from_pretrained({model!r}).eval()(**tokens); print(time.perf_counter() - start)"
    )
    found: dict[str, list[float]] = {"bare": [], "first": [], "later": []}
    for number in range(STARTS):
        for name in found:
            code = ["-c", bare] if name == "bare" else ["-m", "attn_core.ui.first_chart"]
            kept = {"ATTN_CORE_CACHE": str(folder / f"start-{number}")}  # empty at the first start
            ran = subprocess.run(
                [sys.executable, *code], env={**os.environ, **kept}, capture_output=True, text=True, check=True
            )
            found[name].append(float(ran.stdout.splitlines()[-1]))
    least = {name: min(all_seconds) for name, all_seconds in found.items()}
    yield "import of torch and transformers, a load, a pass", f"{least['bare']:.1f} s", "1.00 x", ""
    for name, target in (("first", "<= 1.3 x"), ("later", "<= 0.8 x")):
        ratio = f"{least[name] / least['bare']:.2f} x"
        yield f"{name} start of the dashboard to its first chart", f"{least[name]:.1f} s", ratio, target


def _pages() -> Iterator[Row]:
    """Seconds of the server for one more run of each page, everything cached."""
    ran = subprocess.run([sys.executable, "-m", "attn_core.ui.reruns"], capture_output=True, text=True, check=True)
    for page, milliseconds in json.loads(ran.stdout.splitlines()[-1]).items():
        yield f"page {page}, one more run on the server", f"{milliseconds:.0f} ms", "", "<= 150 ms"


def _full_window(model: LoadedModel) -> Passage:
    """The fullest window of the long sample text."""
    text = max((sample.text for sample in samples()), key=len)
    fullest = max(_passages(text, model), key=len)
    document = read_document(text[int(fullest.starts[1]) : int(fullest.ends[-2])])
    return read_passages(document, model.tokenizer, model.max_tokens)[0]


def _passages(text: str, model: LoadedModel) -> Sequence[Passage]:
    return read_passages(read_document(text), model.tokenizer, model.max_tokens)
