"""One vector a sentence and head: the mean of the head's outputs over the sentence's tokens.

This is the heavy step: it runs the model, and everything else in this package takes milliseconds to seconds on what
it returns. Two ways to show the model its sentences:

* "alone": each sentence by itself. No sentence can borrow from its neighbours, so what is alike is alike in content.
* "separated": windows as long as the model takes, overlapping by half, with the separator token after every sentence:
  for the attention that separators receive. A model whose tokenizer has none reads the plain text, where the punctuation
  that closes a sentence is its separator.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attn_core.errors import ModelError
from attn_core.models.attention import Collection
from attn_core.models.capture import run
from attn_core.models.records import LoadedModel
from attn_core.models.windows import batches
from attn_core.tensors import Tensor, torch
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout, Passage, read_passages

Mode = Literal["alone", "separated"]
MODES: tuple[Mode, ...] = ("alone", "separated")
OVERLAP = 0.5  # share of a window's tokens that the next window reads again
BATCH_TOKENS = 2048  # larger batches gain nothing on a CPU and cost memory
ENDLESS = 1 << 40


@dataclass(frozen=True, eq=False)
class SentenceOutputs:
    """What a model makes of the S sentences of a document.

    vectors: (layer, head, sentence, d_head), mean head output over the sentence's tokens, special tokens left out.
    separator_attention: (layer, head, sentence), attention that the sentence's separator tokens receive, mean over the
    window's queries, times the window's tokens: 1 is what a token gets where attention is spread evenly.
    embeddings: (sentence, width), mean of the last hidden state over the sentence's tokens, the special ones too where
    the sentence was read alone: for a sentence-embedding model with mean pooling this is its sentence embedding.
    tokens: (sentence,), tokens of each sentence.
    """

    document: Document
    mode: Mode
    vectors: np.ndarray
    separator_attention: np.ndarray
    embeddings: np.ndarray
    tokens: np.ndarray

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, eq=False)
class Window:
    """What the model reads at once, each (N,): token ids; the sentence of each token, -1 for special tokens that no
    sentence owns; whether it is special; whether it is a separator."""

    ids: np.ndarray
    sentences: np.ndarray
    special: np.ndarray
    separator: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)


def encode_sentences(
    model: LoadedModel, document: Document, mode: Mode = "alone", progress: Callable[[int, int], None] | None = None
) -> SentenceOutputs:
    """Run the model over a document, sentence by sentence or in overlapping windows.

    `progress` is called with (windows done, windows in all). A sentence that is longer than a window is read in pieces.
    """
    closed = mode == "separated" and model.tokenizer.sep_token_id is not None
    layout: Layout = "separated" if closed else "plain"
    whole = read_passages(document, model.tokenizer, ENDLESS, layout)[0]
    windows = list(_windows(whole, mode, model.max_tokens))
    sums = _Sums(model, len(document.sentences))
    done = 0
    for batch in batches(list(map(len, windows)), BATCH_TOKENS):
        if progress:
            progress(done, len(windows))
        sums.add(model, [windows[index] for index in batch])
        done += len(batch)
    if progress:
        progress(done, len(windows))
    return sums.outputs(
        document, mode, np.bincount(whole.sentences[~whole.is_special], minlength=len(document.sentences))
    )


class _Sums:
    """Running sums over tokens, one row a sentence."""

    def __init__(self, model: LoadedModel, sentences: int) -> None:
        self.shape = (model.layers, model.heads)
        self.sentences = sentences
        self.z: Tensor | None = None  # (layer, sentence, head * d_head), when the first batch has told d_head
        self.hidden: Tensor | None = None  # (sentence, width)
        self.received = torch.zeros(model.layers, model.heads, sentences, device=model.device)
        self.tokens = torch.zeros(sentences, device=model.device)
        self.hidden_tokens = torch.zeros(sentences, device=model.device)

    def add(self, model: LoadedModel, batch: Sequence[Window]) -> None:
        """Read a batch of windows, and add what each token gives to its sentence."""
        lengths = torch.tensor([len(window) for window in batch], device=model.device)
        ids, sentences, special, separator = (_padded(batch, name, model) for name in Window.__annotations__)
        mask = (torch.arange(ids.shape[1], device=model.device) < lengths[:, None]).long()
        ids = torch.where(mask.bool(), ids, model.pad_id)
        collection = Collection(mask / lengths[:, None], keep_maps=False)
        uneven = bool((lengths != lengths[0]).any())
        hidden = run(model, ids, mask if uneven else None, collection).last_hidden_state
        owned = mask.bool() & (sentences >= 0)
        self._add_hidden(hidden, owned, sentences)
        self._add_z(collection.z, owned & ~special.bool(), sentences)
        self._add_received(collection.received, owned & separator.bool(), sentences, lengths)

    def _add_hidden(self, hidden: Tensor, owned: Tensor, sentences: Tensor) -> None:
        if self.hidden is None:
            self.hidden = hidden.new_zeros(self.sentences, hidden.shape[-1])
        self.hidden.index_add_(0, sentences[owned], hidden[owned])
        self.hidden_tokens.index_add_(0, sentences[owned], torch.ones_like(sentences[owned], dtype=torch.float32))

    def _add_z(self, layers: Sequence[Tensor], counted: Tensor, sentences: Tensor) -> None:
        if self.z is None:
            self.z = layers[0].new_zeros(len(layers), self.sentences, layers[0].flatten(2).shape[-1])
        for total, z in zip(self.z, layers, strict=True):
            total.index_add_(0, sentences[counted], z.flatten(2)[counted])
        self.tokens.index_add_(0, sentences[counted], torch.ones_like(sentences[counted], dtype=torch.float32))

    def _add_received(self, layers: Sequence[Tensor], counted: Tensor, sentences: Tensor, lengths: Tensor) -> None:
        row, position = torch.nonzero(counted, as_tuple=True)
        for total, received in zip(self.received, layers, strict=True):
            total.index_add_(1, sentences[counted], (received[row, :, position] * lengths[row, None]).T)

    def outputs(self, document: Document, mode: Mode, tokens: np.ndarray) -> SentenceOutputs:
        """The means; `tokens` (sentence,) says how many each sentence has, each having been read once or more."""
        assert self.z is not None and self.hidden is not None  # a document has at least one token
        if not (torch.isfinite(self.z).all() and torch.isfinite(self.hidden).all()):
            raise ModelError("The model's outputs are not finite numbers (NaN): its weights may be damaged.")
        z = self.z / self.tokens.clamp(min=1)[:, None]
        readings = self.tokens.cpu().numpy() / np.maximum(tokens, 1)
        return SentenceOutputs(
            document=document,
            mode=mode,
            vectors=z.unflatten(-1, (self.shape[1], -1)).transpose(1, 2).cpu().numpy(),
            separator_attention=self.received.cpu().numpy() / np.maximum(readings, 1).astype(np.float32),
            embeddings=(self.hidden / self.hidden_tokens.clamp(min=1)[:, None]).cpu().numpy(),
            tokens=tokens,
        )


def _windows(whole: Passage, mode: Mode, max_tokens: int) -> Iterator[Window]:
    """A document as one endless passage -> the windows that the model reads."""
    special_ends = np.flatnonzero(~whole.is_special)[[0, -1]]
    first, last = int(special_ends[0]), int(special_ends[1]) + 1
    if mode == "separated":
        last = len(whole)  # the token that closes the last sentence is part of the text
    before, after = np.arange(first), np.arange(last, len(whole))
    room = max_tokens - len(before) - len(after)
    for start, end in _spans(_edges(whole.sentences[first:last], room) + first, room, mode):
        positions = np.concatenate([before, np.arange(start, end), after])
        sentences = whole.sentences[positions]
        if mode == "alone":  # the frame of a sentence that is read alone is its own
            sentences = np.full(len(positions), whole.sentences[start])
        else:
            sentences = np.where(np.isin(positions, after), -1, sentences)
        yield Window(whole.token_ids[positions], sentences, whole.is_special[positions], whole.is_separator[positions])


def _edges(sentences: np.ndarray, room: int) -> np.ndarray:
    """Where sentences begin and end, (edges,); a sentence that is longer than the room is cut into pieces."""
    bounds = [0, *(np.flatnonzero(np.diff(sentences)) + 1).tolist(), len(sentences)]
    cuts = [range(start, end, room) for start, end in zip(bounds, bounds[1:], strict=False)]
    return np.array([cut for piece in cuts for cut in piece] + [len(sentences)])


def _spans(edges: np.ndarray, room: int, mode: Mode) -> Iterator[tuple[int, int]]:
    """Token spans between edges: one sentence each, or as much as fits, each beginning half a window after the last."""
    if mode == "alone":
        yield from zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        return
    start = 0
    while True:
        end = int(np.searchsorted(edges, edges[start] + room, side="right")) - 1
        yield int(edges[start]), int(edges[end])
        if end == len(edges) - 1:
            return
        hop = edges[start] + (1 - OVERLAP) * room
        start = min(max(start + 1, int(np.searchsorted(edges, hop, side="right")) - 1), end)


def _padded(batch: Sequence[Window], name: str, model: LoadedModel) -> Tensor:
    """(window, token), padded with zeros."""
    rows = [torch.from_numpy(np.asarray(getattr(window, name), dtype=np.int64)) for window in batch]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True).to(model.device)
