"""Times in ratios to the bare model, as rows of a table in Markdown: `PYTHONPATH=. python docs/benchmark.py`.

--only text study start: the analysis of one text, a study, and the dashboard's start to its first chart in Chromium.
Rounds alternate between the ways that are compared, and the fastest of each counts.
--only claims --prose FILE: what untrained copies of models and copies of shuffled weights reach in each claim.
Networks of the shape of bert-base are randomly initialised: time does not depend on what a network has learned.
"""

import argparse
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

from attn_core.analysis.explanations import sources_of_windows
from attn_core.analysis.one_text import TABLES, Analysis, analyze
from attn_core.analysis.references import read_references
from attn_core.analysis.role_counts import roles_of
from attn_core.claims.claim import CLAIMS
from attn_core.io.exports import software
from attn_core.io.paths import PROJECT
from attn_core.models.capture import batch_of, batches, capture
from attn_core.models.files import Copy, ModelSpec, locate
from attn_core.models.loading import model_of
from attn_core.models.records import LoadedModel
from attn_core.runs.executors import WINDOW_CHARACTERS, Processes
from attn_core.runs.run import Workers
from attn_core.similarity.distribution import count_scores
from attn_core.similarity.words import UNITS
from attn_core.study.corpus import Corpus, sensible_size
from attn_core.study.runner import run_study
from attn_core.study.settings import DEFAULT, VARIANTS, StudySettings
from attn_core.study.variant_counts import count_variants
from attn_core.tensors import AutoTokenizer, torch, transformers
from attn_core.texts.documents import read_document, samples
from attn_core.texts.passages import Passage, read_passages

BERT_BASE = {"num_hidden_layers": 12, "num_attention_heads": 12, "hidden_size": 768, "intermediate_size": 3072}
REST = 0.1  # seconds between measurements, since threads of numpy keep spinning and would occupy a core
CHART = '[class*="st-key-chart-"] :is(svg path, canvas)'  # a chart drawn by `show_figure`
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
LIMIT = 300  # seconds
SEEDS = 20  # copies of each kind
STARTS = 3
Row = tuple[str, str, str, str]  # what, measured, ratio, target


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the machine, then each row when it is measured."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"text": rows_of_a_text, "study": rows_of_studies, "start": rows_of_starts, "claims": rows_of_claims}
    usual = ["text", "study", "start"]
    ask.add_argument("--only", nargs="+", choices=parts, default=usual, help=f"parts (default: {' '.join(usual)})")
    ask.add_argument("--prose", type=Path, help="of claims: a file of texts with a blank line between them")
    ask.add_argument("--others", nargs="*", default=[], help="of claims: models beside the default one")
    ask.add_argument("--rounds", type=int, default=7, help="of a text; a study has two (default: 7)")
    ask.add_argument("--windows", type=int, default=24, help="of a study, or of a copy (default: 24)")
    options = ask.parse_args(arguments)
    print(machine(), "| what | measured | ratio | target |\n|---|---|---|---|", sep="\n\n", flush=True)
    for part in options.only:
        with tempfile.TemporaryDirectory() as folder:
            for row in parts[part](Path(folder), options):
                print("| " + " | ".join(row) + " |", flush=True)


def rows_of_a_text(folder: Path, options: argparse.Namespace) -> Iterator[Row]:
    """Rows for the analysis of a full window by a network of the shape of bert-base."""
    spec = random_bert(folder / "bert-base")
    model = model_of(spec)
    passage = full_window(model)
    text = passage.document.text
    references = {unit: read_references(model, passage.document, "plain", unit) for unit in UNITS}
    (output,) = capture(model, [passage])
    alone = analyze(text, model, window=1)
    ways: dict[str, Callable[[], Any]] = {
        "bare": partial(bare_pass, model, [passage]),
        "analysis": lambda: every_table(analyze(text, model, window=1)),
        "roles": lambda: roles_of(alone.reading, with_special=True),
        "scores": lambda: count_scores(output.z, np.ones(len(passage), dtype=bool), "dot"),
        "sources": lambda: sources_of_windows(alone.reading, alone.measured, alone.settings),
        "settings": lambda: count_variants(passage, capture(model, [passage])[0], references),
    }
    seconds = times(ways, options.rounds)
    bare, heads = seconds["bare"], model.layers * model.heads
    yield f"one text of {len(passage)} tokens: bare SDPA forward", f"{bare * 1e3:.0f} ms", "1.00 x", ""
    for name, what, target in (
        ("analysis", f"whole analysis of {heads} heads, without segments, roles, scores and sources", "<= 1.25 x"),
        ("roles", "stable roles: nine settings, from the head outputs of one pass", "<= 0.4 x"),
        ("scores", "similarity scores of all pairs by distance, from the same head outputs", "<= 0.4 x"),
        ("sources", "sources of all heads: a second pass, beyond the analysis", "<= 1.25 x"),
        ("settings", f"every setting: the claims' effects under all {len(VARIANTS)} settings of a layout", "<= 3.5 x"),
    ):  # fmt: skip
        yield what, f"{seconds[name] * 1e3:.0f} ms", f"{seconds[name] / bare:.2f} x", target


def rows_of_studies(folder: Path, options: argparse.Namespace) -> Iterator[Row]:
    """Rows for the windows per second of a study, relative to the bare batched forward pass."""
    corpus = Corpus(str(write_prose(folder / "prose", options.windows)))
    settings = StudySettings(shard_characters=sensible_size(corpus))  # as in the command: three texts
    shapes = {"bert-base, random": (random_bert(folder / "bert-base"), ">= 90%"), "MiniLM": (ModelSpec(), ">= 65%")}
    cores = os.cpu_count() or 1
    for name, (spec, target) in shapes.items():
        model = model_of(spec)
        texts = [read_document(text.text or "") for text in corpus.texts()]
        windows = [one for text in texts for one in read_passages(text, model.tokenizer, model.max_tokens)]
        groups = [[windows[at] for at in batch] for batch in batches(list(map(len, windows)), DEFAULT.batch_tokens)]

        def forward(model: LoadedModel = model, groups: list[list[Passage]] = groups) -> None:
            for group in groups:
                bare_pass(model, group)

        def whole(pool: Processes, spec: ModelSpec = spec) -> None:
            shutil.rmtree(folder / "study", ignore_errors=True)
            run_study(corpus, spec, folder / "study", settings, Workers(pool, 2 * cores, 1))

        with Processes(cores) as pool:
            seconds = times({"bare": forward, "study": partial(whole, pool)}, rounds=2)
        rates = {way: len(windows) / took for way, took in seconds.items()}
        yield (
            f"study of {len(windows)} windows, {name}, {cores} workers of one thread; bare forward on all cores",
            f"{rates['study']:.2f} of {rates['bare']:.2f} windows/s",
            f"{rates['study'] / rates['bare']:.0%}",
            target,
        )


def rows_of_starts(folder: Path, options: argparse.Namespace) -> Iterator[Row]:  # noqa: ARG001
    """Rows for the start of the dashboard to its first chart, relative to imports, a model load and a forward pass."""
    bare = (
        f"import torch; from transformers import AutoModel, AutoTokenizer; name = {str(locate(ModelSpec()))!r}; "
        "tokens = AutoTokenizer.from_pretrained(name)('The tide rose.', return_tensors='pt'); "
        "AutoModel.from_pretrained(name).eval()(**tokens)"
    )
    seconds: dict[str, list[float]] = {"bare": [], "start": []}
    for _ in range(STARTS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", bare], cwd=PROJECT, capture_output=True, check=True)
        seconds["bare"].append(time.perf_counter() - start)
        seconds["start"].append(first_chart())
    least = {name: min(took) for name, took in seconds.items()}
    ratio = f"{least['start'] / least['bare']:.2f} x"
    yield "importing torch and transformers, a load, a pass", f"{least['bare']:.1f} s", "1.00 x", ""
    yield "start of the dashboard to its first chart", f"{least['start']:.1f} s", ratio, "<= 1.5 x"


def rows_of_claims(folder: Path, options: argparse.Namespace) -> Iterator[Row]:
    """Rows for the effects in untrained copies and copies with shuffled weights, on different texts."""
    if options.prose is None:
        raise SystemExit("The part claims reads texts: give --prose FILE, with a blank line between them.")
    corpora = [str(one) for one in write_excerpts(folder, options.prose, options.windows)]
    reached: dict[Copy, list[dict[str, float]]] = {"untrained": [], "shuffled_weights": []}
    for name, seed in product([None, *options.others], range(SEEDS)):
        for kind, of_kind in reached.items():
            spec = ModelSpec(name, copy=(kind, seed)) if name else ModelSpec(copy=(kind, seed))
            corpus = Corpus(corpora[(2 * seed + (kind == "shuffled_weights")) % len(corpora)])
            claims = run_study(corpus, spec, folder / "study").claims
            of_kind.append(dict(zip(claims["effect"], claims["value"], strict=True)))
            shutil.rmtree(folder / "study")
    for claim in CLAIMS:
        by_kind = {kind: np.array([one[claim.effect] for one in of_kind]) for kind, of_kind in reached.items()}
        every = np.concatenate(list(by_kind.values()))
        low, high = np.quantile(every, [0.05, 0.95])
        means = ", ".join(f"{kind} {claim.number(of_kind.mean())}" for kind, of_kind in by_kind.items())
        yield (
            f"{claim.name}: {len(every)} copies, each of {options.windows} windows of its own",
            f"{means}",
            f"95 of 100 at most {claim.number(high)}, at least {claim.number(low)}",
            claim.rule,
        )


def write_excerpts(folder: Path, prose: Path, windows: int) -> Iterator[Path]:
    """Write one folder per copy with texts of about a window, different for each copy."""
    texts = (one.text or "" for one in Corpus(str(prose), documents="blank-line").texts())
    long = (text[:WINDOW_CHARACTERS] for text in texts if len(text) >= WINDOW_CHARACTERS)
    for number in range(2 * SEEDS):
        of_copy = folder / f"copy-{number}"
        of_copy.mkdir()
        for at, text in enumerate(islice(long, windows)):
            (of_copy / f"{at:02d}.txt").write_text(text, encoding="utf-8")
        yield of_copy


def times(ways: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The fastest time of each way in seconds over several rounds, which alternate the ways, after a warm-up round."""
    best = dict.fromkeys(ways, float("inf"))
    for number in range(rounds + 1):
        for name, way in ways.items():
            time.sleep(REST)
            start = time.perf_counter()
            way()
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            if number:
                best[name] = min(best[name], time.perf_counter() - start)
    return best


@torch.inference_mode()
def bare_pass(model: LoadedModel, passages: Sequence[Passage]) -> None:
    """Run the network as transformers does: outside a pass of `capture`, its attention is SDPA."""
    ids, mask, _ = batch_of(model, [passage.token_ids for passage in passages])
    model.network(input_ids=ids, attention_mask=mask)


def every_table(analysis: Analysis) -> None:
    """Compute every table but those that take another pass over the text or its pairs."""
    for name in set(TABLES) - {"segments", "roles", "similarities", "reach"}:
        getattr(analysis, name)


def full_window(model: LoadedModel) -> Passage:
    """A full window of the longest sample text."""
    text = max((sample.text for sample in samples()), key=len)
    whole = read_passages(read_document(text), model.tokenizer, len(text))[0]
    last = min(model.max_tokens, len(whole)) - 2
    while whole.pretokens[last] == whole.pretokens[last + 1]:  # a cut word would be tokenized differently
        last -= 1
    return read_passages(read_document(text[: int(whole.ends[last])]), model.tokenizer, model.max_tokens)[0]


def random_bert(folder: Path) -> ModelSpec:
    """A randomly initialised BERT with the tokenizer of the default model."""
    torch.manual_seed(0)
    AutoTokenizer.from_pretrained(locate(ModelSpec())).save_pretrained(folder)
    transformers.BertModel(transformers.BertConfig.from_dict(BERT_BASE)).save_pretrained(folder)
    return ModelSpec(str(folder))


def write_prose(folder: Path, windows: int, per_text: int = 4) -> Path:
    """A folder of texts with about `windows` full windows, made of shuffled sentences of the English samples."""
    english = [sample.text for sample in samples() if sample.language == "en"]
    pieces = [text[start:end].replace("\n", " ") for text in english for start, end in read_document(text).sentences]
    rng = np.random.default_rng(0)
    folder.mkdir()
    for number in range(-(-windows // per_text)):
        length, chosen = 0, list[str]()
        while length < WINDOW_CHARACTERS * min(per_text, windows - number * per_text):
            chosen.append(pieces[rng.integers(len(pieces))])
            length += len(chosen[-1]) + 1
        (folder / f"{number:05d}.txt").write_text(" ".join(chosen), encoding="utf-8")
    return folder


def first_chart() -> float:
    """The seconds from the start of a dashboard to its first chart in Chromium."""
    from playwright.sync_api import sync_playwright  # only installed for tests

    with sync_playwright() as playwright, socket.socket() as probe:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        start = time.perf_counter()
        command = [sys.executable, "-m", "streamlit", "run", "dashboard.py", "--server.headless", "true"]
        with subprocess.Popen([*command, "--server.port", str(port)], cwd=PROJECT, stdout=subprocess.DEVNULL) as server:
            try:
                wait_for(f"http://127.0.0.1:{port}")
                page = browser.new_page()
                page.goto(f"http://127.0.0.1:{port}")
                page.wait_for_selector(CHART, timeout=1000 * LIMIT)
                return time.perf_counter() - start
            finally:
                browser.close()  # first, since a server may wait for open pages
                server.terminate()


def wait_for(address: str) -> None:
    """Wait until a dashboard answers."""
    for _ in range(20 * LIMIT):
        with suppress(OSError):
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            return
        time.sleep(0.05)


def machine() -> str:
    """One line on the machine and the software."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if "model name" in line]
    gpu = f", {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""
    versions = ", ".join(f"{name} {version}" for name, version in software().items())
    cpu = names[0] if names else platform.machine()
    return f"{cpu}, {os.cpu_count()} cores{gpu}; {versions}; torch on {torch.get_num_threads()} threads"


if __name__ == "__main__":
    main()
