"""One text: the whole analysis beside the bare model, and beside how it is done elsewhere; and what removing heads costs: the
importance of all of them, its estimate, and one click, beside the forward passes they take.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from attn_core.analysis.one_text import TABLES, Analysis, analyze
from attn_core.benchmark.rounds import BERT_BASE, Row, bare_pass, passages_of, save_random_bert, times
from attn_core.head import Head, every_head
from attn_core.interventions.effects import BATCH_TOKENS, effects_of, estimated_importance, measured_importance
from attn_core.models.capture import capture, last_states
from attn_core.models.files import ModelSpec
from attn_core.models.intervened import intervened
from attn_core.models.intervention import BY_MEAN
from attn_core.models.loading import model_of
from attn_core.models.records import LoadedModel
from attn_core.reproduction.choices import CHOICES
from attn_core.reproduction.windows import Others, count_window
from attn_core.similarity.strong_pairs import SHARE, number_of_strong_pairs
from attn_core.tensors import AutoModel, torch
from attn_core.texts.documents import read_document, samples
from attn_core.texts.passages import Passage, read_passages

WINDOWS = 20
ROUNDS = 2  # each takes a model hundreds of times


def rows_of_a_text(folder: Path) -> Iterator[Row]:
    """A full window through a network of the shape of bert-base; folder: an empty one, for the network."""
    spec = save_random_bert(folder / "bert-base", **BERT_BASE)
    model = model_of(spec)
    passage = _full_window(model)
    text, others = passage.document.text, Others.samples(model, passage.document, "plain")
    ways: dict[str, Callable[[], Any]] = {
        "bare": partial(bare_pass, model, [passage]),
        "analysis": lambda: _tables(analyze(text, model, window=1)),
        "choices": lambda: count_window(passage, capture(model, [passage])[0], others),
        "today": _todays_way(Path(spec.name), passage),
    }
    lens = _transformer_lens(Path(spec.name), passage)
    if lens:
        ways["lens"] = lens
    seconds = times(ways)
    bare = seconds["bare"]
    yield f"one text of {len(passage)} tokens: bare SDPA forward", f"{bare * 1e3:.0f} ms", "1.00 x", ""
    yield (
        "the whole analysis: capture, strong pairs of 144 heads, all tables but `segments`, which reads the text again",
        *_slower(seconds["analysis"], bare, "<= 1.25 x"),
    )
    yield (
        f"the claims' effects under all {len(CHOICES)} choices of a layout, as a reproduction counts them",
        *_slower(seconds["choices"], bare, "<= 3.3 x"),
    )
    yield (
        "today's way: eager with output_attentions, hooks, a numpy loop over heads",
        *_slower(seconds["today"], bare, ""),
    )
    if "lens" in seconds:
        yield (
            "TransformerLens: run_with_cache, hook_z alone (its network ends in a word prediction)",
            *_slower(seconds["lens"], bare, ""),
        )


def _tables(analysis: Analysis) -> None:
    """Make every table that follows from the pass that was captured; `segments` runs the model anew, sentence by sentence."""
    for name in TABLES:
        if name != "segments":
            getattr(analysis, name)


def _slower(seconds: float, bare: float, target: str) -> tuple[str, str, str]:
    return f"{seconds * 1e3:.0f} ms", f"{seconds / bare:.2f} x", target


def _todays_way(folder: Path, passage: Passage) -> Callable[[], None]:
    """What a notebook does: every attention map and every head's output in numpy, the pairs head by head."""
    network = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    ids = torch.from_numpy(passage.token_ids)[None]
    seen: list[torch.Tensor] = []
    for layer in network.encoder.layer:
        layer.attention.self.register_forward_hook(lambda _module, _inputs, output: seen.append(output[0]))
    heads, upper = network.config.num_attention_heads, np.triu_indices(len(passage), k=1)
    keep = number_of_strong_pairs(len(upper[0]), SHARE)

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


def _full_window(model: LoadedModel) -> Passage:
    """A full window of the long sample text."""
    text = max((sample.text for sample in samples()), key=len)
    whole = read_passages(read_document(text), model.tokenizer, len(text))[0]
    last = min(model.max_tokens, len(whole)) - 2
    while whole.pretokens[last] == whole.pretokens[last + 1]:  # part of a word is cut otherwise than the word
        last -= 1
    return read_passages(read_document(text[: int(whole.ends[last])]), model.tokenizer, model.max_tokens)[0]


def rows_of_removals(windows: int = WINDOWS, spec: ModelSpec | None = None) -> Iterator[Row]:
    """The first windows of the sample texts, those of 512 tokens first, by the model that the project installs."""
    model = model_of(spec or ModelSpec())
    some = _windows(model)[:windows]
    heads = every_head(model.layers, model.heads)
    intervened(model, BY_MEAN)  # the mean over reference texts is found once, and kept
    seconds = times(
        {
            "bare": partial(_forward_passes, model, some, len(heads) + 1),
            "measured": partial(measured_importance, model, some),
            "estimated": lambda: [estimated_importance(model, passage) for passage in some],
        },
        ROUNDS,
    )
    bare = seconds["bare"]
    what = f"{len(heads)} heads on {len(some)} windows"
    yield f"{len(heads) + 1} forward passes a window, {len(some)} windows, batched", f"{bare:.1f} s", "1.00 x", ""
    yield f"importance of {what}, one by one", *_row(seconds["measured"], bare, "<= 1.15 x")
    yield f"the estimate of {what}", *_row(seconds["estimated"], seconds["measured"], "<= 0.2 x of the importance")
    full = some[0]
    click = times(
        {
            "bare": partial(_forward_passes, model, [full], 2),
            "click": partial(effects_of, model, full, [[Head(model.layers - 1, 0)]]),
        }
    )
    told = f"one click: the effect of one head on {len(full)} tokens, beside two forward passes"
    yield told, *_row(click["click"], click["bare"], "< 2 s")


def _row(seconds: float, beside: float, target: str) -> tuple[str, str, str]:
    return f"{seconds:.2f} s", f"{seconds / beside:.2f} x", target


def _forward_passes(model: LoadedModel, passages: list[Passage], number: int) -> None:
    """So many forward passes of each window, as many rows at once as an effect takes."""
    for passage in passages:
        size = max(1, BATCH_TOKENS // len(passage))
        for start in range(0, number, size):
            last_states(model, [passage] * min(size, number - start))


def _windows(model: LoadedModel) -> list[Passage]:
    found = [passage for sample in samples() for passage in passages_of(sample.text, model)]
    return sorted(found, key=len, reverse=True)
