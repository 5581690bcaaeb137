"""The sentences of a document as a model reads them.

Each sentence is read alone, so that sentences are alike by their content and not by what they took from neighbours. For
the attention to separators the text is read in windows with the separator token after every sentence. Where the
tokenizer has none, the punctuation at the end of a sentence is its separator.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attn_core.models.capture import batches, capture, capture_with_states
from attn_core.models.head_outputs import as_array
from attn_core.models.records import LoadedModel
from attn_core.segmentation.vectors import head_power, weights_of
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout, Passage, read_passages

BATCH_TOKENS = 2048  # larger batches gain nothing on a CPU and cost memory
ENDLESS = 1 << 40


@dataclass(frozen=True, eq=False)
class SentenceOutputs:
    """The S sentences of a document. The model runs when a value is first asked for.

    progress: called with (pieces read, pieces in all).
    """

    model: LoadedModel
    document: Document
    progress: Callable[[int, int], None] = lambda _done, _of: None

    def __len__(self) -> int:
        return len(self.document.sentences)

    @property
    def vectors(self) -> np.ndarray:
        """(layer, head, sentence, d_head), the mean head output over the tokens of each sentence."""
        return self._alone[0]

    @property
    def embeddings(self) -> np.ndarray:
        """(sentence, width), the mean of the last hidden state over all tokens, as models with mean pooling have it."""
        return self._alone[1]

    @cached_property
    def head_power(self) -> np.ndarray:
        """(layer, head), how well each head follows the topics of the text, see `vectors.head_power`."""
        return head_power(self.vectors)

    @property
    def head_weights(self) -> np.ndarray:
        """(layer, head), how much each head counts, by the text itself; they add up to 1."""
        return weights_of(self.head_power, len(self))

    @property
    def tokens(self) -> np.ndarray:
        """(sentence,), the number of tokens of each."""
        return np.array([np.count_nonzero(~window.is_special) for window in self._windows])

    @cached_property
    def separator_attention(self) -> np.ndarray:
        """(layer, head, sentence), the attention that its separator tokens receive, mean over the window's queries.

        It is multiplied by the window's tokens: a token gets 1 where attention is spread evenly.
        """
        layout: Layout = "plain" if self.model.tokenizer.sep_token_id is None else "separated"
        received = np.zeros((self.model.layers, self.model.heads, len(self)), dtype=np.float32)
        windows = read_passages(self.document, self.model.tokenizer, self.model.max_tokens, layout)
        for done, window in enumerate(windows):
            self.progress(done, len(windows))
            at = np.flatnonzero(window.is_separator & (window.sentences >= 0))
            values = as_array(capture(self.model, [window])[0].received)[..., at] * len(window)
            np.add.at(np.moveaxis(received, -1, 0), window.sentences[at], np.moveaxis(values, -1, 0))
        self.progress(len(windows), len(windows))
        return received

    @cached_property
    def _windows(self) -> list[Passage]:
        """Each sentence between the special tokens of a text; the beginning of one that is longer than a window."""
        whole = read_passages(self.document, self.model.tokenizer, ENDLESS)[0]
        text = np.flatnonzero(~whole.is_special)
        before, after = np.arange(text[0]), np.arange(text[-1] + 1, len(whole))
        room = self.model.max_tokens - len(before) - len(after)
        edges = np.searchsorted(whole.sentences[text], np.arange(1, len(self)))
        return [whole.at(np.concatenate([before, one[:room], after])) for one in np.split(text, edges)]

    @cached_property
    def _alone(self) -> tuple[np.ndarray, np.ndarray]:
        read, done = dict[int, tuple[np.ndarray, np.ndarray]](), 0
        for batch in batches([len(window) for window in self._windows], BATCH_TOKENS):
            self.progress(done, len(self))
            windows = [self._windows[sentence] for sentence in batch]
            for sentence, window, (output, states) in zip(
                batch, windows, capture_with_states(self.model, windows), strict=True
            ):
                z = as_array(output.z)[:, :, ~window.is_special]
                read[sentence] = z.sum(2) / max(1, z.shape[2]), as_array(states).mean(0)
            done += len(batch)
        self.progress(done, len(self))
        vectors, embeddings = zip(*(read[sentence] for sentence in range(len(self))), strict=True)
        return np.stack(vectors, axis=2), np.stack(embeddings)
