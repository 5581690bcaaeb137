"""Model outputs for the sentences of a document.

Each sentence is read alone, so that the similarity of sentences reflects their content and not the context they share.
For the attention to separators, the text is read in windows, with the separator token after every sentence. If the
tokenizer has no separator token, the punctuation at the end of a sentence is its separator.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attn_core.models.capture import batches, capture, capture_with_states
from attn_core.models.head_outputs import as_array
from attn_core.models.records import LoadedModel
from attn_core.models.windows import ENDLESS
from attn_core.segmentation.vectors import head_power, weights_of
from attn_core.texts.documents import Document
from attn_core.texts.passages import Layout, Passage, read_passages

BATCH_TOKENS = 2048  # larger batches are no faster on a CPU and need more memory


@dataclass(frozen=True, eq=False)
class SentenceOutputs:
    """The outputs of a model for the S sentences of a document; the model runs on first access to a value.

    progress: called with (pieces read, pieces in all), where a piece is a sentence or a window.
    """

    model: LoadedModel
    document: Document
    progress: Callable[[int, int], None] = lambda _done, _of: None

    def __len__(self) -> int:
        return len(self.document.sentences)

    @property
    def vectors(self) -> np.ndarray:
        """The mean head output over the tokens of each sentence, (layer, head, sentence, d_head)."""
        return self._alone[0]

    @property
    def embeddings(self) -> np.ndarray:
        """The mean of the last hidden states over all tokens of each sentence (mean pooling), (sentence, width)."""
        return self._alone[1]

    @cached_property
    def head_power(self) -> np.ndarray:
        """The lag contrast of each head, (layer, head); see `vectors.head_power`."""
        return head_power(self.vectors)

    @property
    def head_weights(self) -> np.ndarray:
        """The weight of each head, (layer, head), computed from this text; the sum is 1."""
        return weights_of(self.head_power, len(self))

    @property
    def tokens(self) -> np.ndarray:
        """The number of tokens of each sentence, (sentence,)."""
        return np.array([np.count_nonzero(~window.is_special) for window in self._windows])

    @cached_property
    def separator_attention(self) -> np.ndarray:
        """The attention that the separators of each sentence receive, mean over queries, (layer, head, sentence).

        It is multiplied by the number of tokens in the window, so that even attention gives 1 to each token.
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
        """Each sentence with the special tokens of a text around it, cut off at the length of a window."""
        whole = read_passages(self.document, self.model.tokenizer, ENDLESS)[0]
        text = np.flatnonzero(~whole.is_special)
        before, after = np.arange(text[0]), np.arange(text[-1] + 1, len(whole))
        capacity = self.model.max_tokens - len(before) - len(after)
        edges = np.searchsorted(whole.sentences[text], np.arange(1, len(self)))
        return [whole.at(np.concatenate([before, one[:capacity], after])) for one in np.split(text, edges)]

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
