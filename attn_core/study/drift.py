"""The drift of each head along a training: 1 - the correlation of its similarity matrices with those of the last step.

Each step keeps the ranks of the similarities in a few windows, in two bytes per pair.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from attn_core.errors import InputError, TextError
from attn_core.measures.frames import head_frame
from attn_core.models.head_outputs import HeadOutputs, as_array
from attn_core.numerics.pairs import pairs_among, permuted_pairs
from attn_core.numerics.ranks import correlation, ranks
from attn_core.runs.job import Shard, ShardResult, checked_model
from attn_core.runs.shards import tables_named
from attn_core.similarity.context_similarity import context_similarity
from attn_core.similarity.strong_pairs import Settings
from attn_core.similarity.words import to_words
from attn_core.study.corpus import Corpus
from attn_core.study.opened import RANKS as PLACE
from attn_core.study.opened import Record
from attn_core.study.settings import Job
from attn_core.study.subjects import Subject
from attn_core.texts.documents import read_document
from attn_core.texts.passages import Passage, read_passages

WINDOWS, TOKENS = 8, 128  # our choice; doubled ranks of more than 256 tokens do not fit two bytes
TEXTS, CHARACTERS = 64, 4096  # the beginnings of texts that are searched for the windows
Ranks = Sequence[np.ndarray]  # (layer, head, pair) for each window


def beginnings(corpus: Corpus) -> Shard:
    """The shard of the beginnings of texts."""
    texts = islice((text for text in corpus.texts() if text.text), TEXTS)
    return Shard(0, tuple(replace(text, text=(text.text or "")[:CHARACTERS]) for text in texts), 0.0)


def rank_windows(job: Job) -> ShardResult:
    """The ranks of the first windows with enough tokens, a row per window. Raises InputError if no text has enough."""
    from attn_core.models.capture import capture

    loaded, passages = checked_model(job.model), list[Passage]()
    for piece in job.shard.pieces:
        with suppress(TextError):  # the study lists bad texts
            tokens = min(TOKENS, loaded.max_tokens)
            document = read_document(piece.text or "", job.settings.language)
            window = read_passages(document, loaded.tokenizer, tokens, job.layout)[0]
            passages += [window] if len(window) >= job.settings.min_tokens else []
    if not passages:
        raise InputError("No text has enough tokens to measure the drift of heads on.")
    read = list(zip(passages[:WINDOWS], capture(loaded, passages[:WINDOWS]), strict=True))
    in_units = [to_words(*one) for one in read] if job.settings.unit == "words" else read
    windows = [_ranks_of(*one, job.settings.analysis) for one in in_units]
    rows = pa.table({"layers": [len(window) for window in windows], "heads": [window.shape[1] for window in windows],
                     "ranks": [window.ravel() for window in windows]})  # fmt: skip
    return ShardResult({PLACE: rows}, 0, 0, 0)


def read_ranks(path: Path) -> Ranks:
    """The ranks from the folder of a subject."""
    rows = next(tables_named(path / PLACE, PLACE)).to_pandas()
    return [ranks.reshape(layers, heads, -1) for layers, heads, ranks in rows.itertuples(index=False)]


def _ranks_of(passage: Passage, output: HeadOutputs, settings: Settings) -> np.ndarray:
    """Twice the rank, from 1, of the similarity of every allowed pair i < j of a window, (layer, head, pair) uint16.

    Pairs are in the order of `numerics.pairs`; equal values share their mean rank.
    """
    similarity = as_array(context_similarity(output.z, settings.measure))
    i, j = pairs_among(np.flatnonzero(settings.with_special | ~passage.is_special))
    return (2 * ranks(similarity[..., i, j]) + 2).astype(np.uint16)


def drift_table(numbers: Sequence[int], ranks: Sequence[Ranks]) -> pd.DataFrame:
    """A row per step and head: step, layer, head, drift, chance_drift. numbers, ranks: of the steps in order."""
    last = ranks[-1]
    shuffled = [_tokens_shuffled(window) for window in last]
    layers, heads, _ = last[0].shape
    tables = []
    for number, step in zip(numbers, ranks, strict=True):
        columns = {"drift": _drift(step, last), "chance_drift": _drift(step, shuffled)}
        tables.append(head_frame(columns, layers, heads).assign(step=number))
    return pd.concat(tables, ignore_index=True)[["step", "layer", "head", "drift", "chance_drift"]]


def _drift(step: Ranks, last: Ranks) -> np.ndarray:
    """The drift (layer, head) of a step, a mean over windows."""
    return np.mean([1 - correlation(*both) for both in zip(step, last, strict=True)], axis=0)


def _tokens_shuffled(window: np.ndarray) -> np.ndarray:
    """The pairs (layer, head, pair) of a matrix after its tokens were shuffled, the same way in every call."""
    tokens = (1 + int(np.sqrt(1 + 8 * window.shape[-1]))) // 2
    return window[..., permuted_pairs(np.random.default_rng(0).permutation(tokens))]


def alike(records: Sequence[Record], training: str) -> list[Record]:
    """The finished steps of a training in order, those alone that have the tokenizer and shape of most of them.

    Of two kinds of steps that are equally common, those of the later.
    """
    own = [one for one in records if one.finished and one.subject.name == training and not one.subject.of]
    steps = [one for one in own if one.subject.step is not None]
    kinds = [_kind(one) for one in steps]
    most = max(reversed(kinds), key=kinds.count, default={})
    return [step for step, kind in zip(steps, kinds, strict=True) if kind == most]


def unlike_steps(records: Sequence[Record]) -> dict[Subject, str]:
    """The finished steps that are not `alike`, each with how it differs from most steps of its training."""
    found = {}
    for record in records:
        if record.finished and record.subject.step is not None and not record.subject.of:
            kind, most = _kind(record), _kind(alike(records, record.subject.name)[0])
            if others := [name for name in kind if kind[name] != most[name]]:
                found[record.subject] = f"no drift and no untrained copies: another {', '.join(others)} than most steps"
    return found


def _kind(record: Record) -> dict[str, object]:
    """What two steps of a training must have in common, so that their heads can be compared."""
    assert record.model is not None  # it is finished
    layers, heads = record.shape
    return {"number of layers": layers, "number of heads": heads, "longest window": record.model.max_tokens,
            "tokenizer": record.model.tokenizer}  # fmt: skip
