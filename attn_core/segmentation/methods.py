"""The ways to segment a text, as data: what each does, and its function.

To add a method, write a function from a `Task` to boundaries and add it to `METHODS`: the page and the command line take it
from there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from attn_core.errors import TextError
from attn_core.segmentation import baselines, peaks
from attn_core.segmentation.number import find_number
from attn_core.segmentation.partition import LONGEST, best_partition, segment_gains
from attn_core.segmentation.sentences import SentenceOutputs
from attn_core.segmentation.vectors import centred, content, head_vectors, joined

FINAL_LAYERS = 1 / 3  # the share of layers that count as the final ones for separator attention (our choice)


@dataclass(frozen=True, eq=False)
class Task:
    """What a method gets: sentences, weights (layer, head), the sentences before which a boundary may lie, and a number of
    segments or None."""

    outputs: SentenceOutputs
    weights: np.ndarray
    places: np.ndarray
    segments: int | None

    @property
    def starts(self) -> np.ndarray:
        """The first sentences of all that a segment may consist of: of every paragraph, or every sentence itself."""
        return np.concatenate([[0], self.places])


@dataclass(frozen=True)
class Method:
    """A way to segment. uses_heads: whether the weights of heads matter. cut: to numbers among the `starts`."""

    name: str
    title: str
    what: str
    uses_heads: bool
    cut: Callable[[Task], tuple[int, ...]]


def by_name(name: str) -> Method:
    """Raises TextError for a method that does not exist."""
    for method in METHODS:
        if method.name == name:
            return method
    raise TextError(f"There is no method {name!r}: choose one of {', '.join(method.name for method in METHODS)}.")


def _separator_attention(task: Task) -> tuple[int, ...]:
    attention = task.outputs.separator_attention
    final = max(1, round(len(attention) * FINAL_LAYERS))
    scores = attention[-final:].mean(axis=(0, 1))[task.places - 1].astype(float)
    return peaks.high(scores) if task.segments is None else peaks.highest(scores, task.segments)


def _texttiling(task: Task) -> tuple[int, ...]:
    depths, boundaries = baselines.texttiling(task.outputs.document, task.places)
    return boundaries if task.segments is None else peaks.highest(depths, task.segments)


def _even_cuts(task: Task) -> tuple[int, ...]:
    size = len(task.starts)
    return baselines.even_cuts(size, task.segments or min(baselines.usual_number(len(task.outputs)), size))


def _heads(task: Task) -> np.ndarray:
    return head_vectors(task.outputs.vectors, task.weights)


def _embeddings(task: Task) -> np.ndarray:
    return centred(task.outputs.embeddings)


def _partition(task: Task, of: Sequence[Callable[[Task], np.ndarray]]) -> tuple[int, ...]:
    """The partition of one kind of sentence vectors (S, width), or of several in equal parts."""
    vectors = joined(*(kind(task) for kind in of))
    weights, starts, segments = content(task.outputs.tokens), task.starts, task.segments
    if segments is None:
        boundaries = find_number(vectors, weights)
        if len(starts) == len(vectors):
            return boundaries
        segments = min(len(boundaries) + 1, len(starts))
    # segments of twice the mean length must be possible, however long the text
    gains = segment_gains(vectors, max(LONGEST, -(-2 * len(starts) // segments)), weights, starts)
    return best_partition(gains, segments)


METHODS: tuple[Method, ...] = (
    Method(
        "partition", "Optimal partition, heads and embeddings",
        "Reads every sentence by itself and cuts the text so that, inside segments, head outputs and sentence embeddings are "
        "most alike, in equal parts: the best of these on most texts.",
        uses_heads=True, cut=partial(_partition, of=(_heads, _embeddings)),
    ),
    Method(
        "partition_heads", "Optimal partition of head outputs",
        "Reads every sentence by itself and cuts the text so that the head outputs inside segments are most alike.",
        uses_heads=True, cut=partial(_partition, of=(_heads,)),
    ),
    Method(
        "partition_embeddings", "Optimal partition of sentence embeddings",
        "The same on the mean of the model's last layer, sentence by sentence: what is mostly used elsewhere.",
        uses_heads=False, cut=partial(_partition, of=(_embeddings,)),
    ),
    Method(
        "separator_attention", "Attention to separators",
        "Cuts after the sentences whose separators get most attention in the final third of the layers (Halevi et al. 2026; the "
        "layers and the threshold are our choice).",
        uses_heads=False, cut=_separator_attention,
    ),
    Method(
        "texttiling", "TextTiling on words",
        "Compares the words before and after a gap (Hearst 1997, by nltk); looks at no model.",
        uses_heads=False, cut=_texttiling,
    ),
    Method(
        "even_cuts", "Even cuts",
        "Segments of like length, one for every ten sentences unless a number is given: a chance level.",
        uses_heads=False, cut=_even_cuts,
    ),
)  # fmt: skip
