"""What every part of the benchmark shares: times taken side by side, networks to time, texts for them.

Rounds alternate between the ways that are compared, and the least disturbed round of each counts. Networks are randomly
initialised: time does not depend on what a network has learned.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attn_core.models.files import ModelSpec, locate
from attn_core.models.records import LoadedModel
from attn_core.runs.executors import WINDOW_CHARACTERS
from attn_core.tensors import AutoTokenizer, torch, transformers
from attn_core.texts.documents import read_document, samples
from attn_core.texts.passages import Passage, read_passages

ROUNDS = 7
REST = 0.1  # seconds: threads of numpy's products spin on after a way, and would take a core from the next one
Row = tuple[str, str, str, str]  # what, measured, ratio, target
BERT_BASE = {"num_hidden_layers": 12, "num_attention_heads": 12, "hidden_size": 768, "intermediate_size": 3072}


def times(ways: dict[str, Callable[[], Any]], rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds of the fastest of several rounds, each round taking every way once; one round before it to warm up."""
    best = dict.fromkeys(ways, float("inf"))
    for round_number in range(rounds + 1):
        for name, way in ways.items():
            time.sleep(REST)
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
        transformers.BertModel(transformers.BertConfig.from_dict(shape)).save_pretrained(folder)
    return ModelSpec(str(folder))


def sentences() -> list[str]:
    """Those of the English sample texts, a line each."""
    english = [sample.text for sample in samples() if sample.language == "en"]
    return [text[start:end].replace("\n", " ") for text in english for start, end in read_document(text).sentences]


def write_prose(folder: Path, windows: int, per_text: int = 20) -> Path:
    """Texts of about so many full windows in all, of shuffled sentences of the sample texts."""
    pieces = sentences()
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True)
    for number in range(-(-windows // per_text)):
        length = 0
        chosen: list[str] = []
        while length < WINDOW_CHARACTERS * min(per_text, windows - number * per_text):
            chosen.append(pieces[rng.integers(len(pieces))])
            length += len(chosen[-1]) + 1
        (folder / f"{number:05d}.txt").write_text(" ".join(chosen), encoding="utf-8")
    return folder


def passages_of(text: str, model: LoadedModel) -> Sequence[Passage]:
    """The windows of a text, as a model reads them."""
    return read_passages(read_document(text), model.tokenizer, model.max_tokens)


@torch.inference_mode()
def bare_pass(model: LoadedModel, passages: Sequence[Passage]) -> None:
    """The network as transformers runs it: outside `collecting`, its attention is SDPA."""
    longest = max(map(len, passages))
    ids = torch.full((len(passages), longest), model.pad_id)
    mask = torch.zeros_like(ids)
    for row, passage in enumerate(passages):
        ids[row, : len(passage)] = torch.from_numpy(passage.token_ids)
        mask[row, : len(passage)] = 1
    padded = None if bool(mask.all()) else mask.to(model.device)
    model.network(input_ids=ids.to(model.device), attention_mask=padded)
