"""The ways to segment a text, as data: what each does, where it comes from, what it is best for, and its function.

To add a method, write a function from a `Task` to a `Cut` and add it to `METHODS`: the page and the command line take it
from there. `measured` holds mean Pk as `segment FOLDER` gives it with MiniLM, by kind of text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from attn_core.errors import TextError
from attn_core.segmentation import baselines, peaks
from attn_core.segmentation.number import find_number
from attn_core.segmentation.partition import LONGEST, best_partition, cut_values, segment_gains
from attn_core.segmentation.sentences import Mode, SentenceOutputs
from attn_core.segmentation.vectors import centred, content, head_vectors, joined

RANDOM_CUTS = 0.5  # the mean Pk of boundaries drawn at random
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


@dataclass(frozen=True, eq=False)
class Cut:
    """What a method finds: boundaries, as numbers among the task's `starts`, a score of every place, and the threshold, if one
    decided."""

    boundaries: tuple[int, ...]
    gap_scores: np.ndarray
    threshold: float | None = None


class Measured(NamedTuple):
    """Mean Pk over texts of one kind, with the number of segments given and found; 0 is best, random cuts get 0.5."""

    kind: str
    given: float
    found: float


@dataclass(frozen=True)
class Method:
    """A way to segment. mode: how the sentences must have been read, None where the model is not asked at all.

    uses_heads: whether the weights of heads matter. measured: how well it did on the kinds of text that it was tried on.
    """

    name: str
    title: str
    what: str
    source: str
    best_for: str
    measured: tuple[Measured, ...]
    mode: Mode | None
    uses_heads: bool
    cut: Callable[[Task], Cut]

    @property
    def beats_random_cuts(self) -> bool:
        """Whether its segments are worth a look: told their number, it was better on some kind of text by a tenth."""
        return any(one.given <= 0.9 * RANDOM_CUTS for one in self.measured)


def by_name(name: str) -> Method:
    """Raises TextError for a method that does not exist."""
    for method in METHODS:
        if method.name == name:
            return method
    raise TextError(f"There is no method {name!r}: choose one of {', '.join(method.name for method in METHODS)}.")


def _separator_attention(task: Task) -> Cut:
    layers = task.outputs.separator_attention.shape[0]
    final = max(1, round(layers * FINAL_LAYERS))
    return _pick(task.outputs.separator_attention[-final:].mean(axis=(0, 1))[task.places - 1].astype(float), task)


def _texttiling(task: Task) -> Cut:
    depths, boundaries = baselines.texttiling(task.outputs.document, task.places)
    return Cut(boundaries, depths) if task.segments is None else Cut(peaks.highest(depths, task.segments), depths)


def _even_cuts(task: Task) -> Cut:
    size = len(task.starts)
    boundaries = baselines.even_cuts(size, task.segments or min(baselines.usual_number(len(task.outputs)), size))
    scores = np.zeros(size - 1)
    scores[np.array(boundaries, dtype=int) - 1] = 1.0
    return Cut(boundaries, scores)


def _pick(scores: np.ndarray, task: Task) -> Cut:
    if task.segments is not None:
        return Cut(peaks.highest(scores, task.segments), scores)
    threshold = peaks.usual_threshold(scores)
    return Cut(peaks.above(scores, threshold), scores, threshold)


def _heads(task: Task) -> np.ndarray:
    return head_vectors(task.outputs.vectors, task.weights)


def _embeddings(task: Task) -> np.ndarray:
    return centred(task.outputs.embeddings)


def _partition(task: Task, of: Sequence[Callable[[Task], np.ndarray]]) -> Cut:
    """The partition of one kind of sentence vectors (S, width), or of several in equal parts."""
    vectors = joined(*(kind(task) for kind in of))
    weights, starts, segments = content(task.outputs.tokens), task.starts, task.segments
    if segments is None:
        found = find_number(vectors, weights)
        if len(starts) == len(vectors):
            return Cut(found.boundaries, cut_values(found.gains, found.boundaries))
        segments = min(len(found.boundaries) + 1, len(starts))
    # segments of twice the mean length must be possible, however long the text
    gains = segment_gains(vectors, max(LONGEST, -(-2 * len(starts) // segments)), weights, starts)
    boundaries = best_partition(gains, segments)
    return Cut(boundaries, cut_values(gains, boundaries))


def _mean_pk(**by_kind: tuple[float, float]) -> tuple[Measured, ...]:
    """Mean Pk with the number of segments given and found, by the kind of text as `KINDS_OF_TEXT` names it."""
    return tuple(Measured(KINDS_OF_TEXT[kind], given, found) for kind, (given, found) in by_kind.items())


KINDS_OF_TEXT = {"pasted": "pasted texts", "chapters": "textbook chapters", "lectures": "lectures"}
HALEVI = "Halevi et al. 2026, Physica A 686; the layers and the threshold are our choice"
OURS = "our choice; the cost is that of kernel change-point detection (Arlot, Celisse & Harchaoui 2019)"
METHODS: tuple[Method, ...] = (
    Method(
        "partition", "Optimal partition, heads and embeddings",
        "Reads every sentence by itself and cuts the text so that, inside segments, head outputs and sentence "
        "embeddings are most alike, in equal parts.",
        OURS, "most texts. Where the sections of a chapter are to be found and counted, no cut at all has the better Pk.",
        _mean_pk(pasted=(0.029, 0.059), chapters=(0.320, 0.378), lectures=(0.293, 0.362)),
        "alone", uses_heads=True, cut=partial(_partition, of=(_heads, _embeddings)),
    ),
    Method(
        "partition_heads", "Optimal partition of head outputs",
        "Reads every sentence by itself and cuts the text so that the head outputs inside segments are most alike.",
        OURS, "asking what the heads alone see; as good as both together.",
        _mean_pk(pasted=(0.028, 0.065), chapters=(0.310, 0.367), lectures=(0.261, 0.338)),
        "alone", uses_heads=True, cut=partial(_partition, of=(_heads,)),
    ),
    Method(
        "partition_embeddings", "Optimal partition of sentence embeddings",
        "The same on the mean of the model's last layer, sentence by sentence: what is mostly used elsewhere.",
        OURS, "a yardstick: what is mostly used elsewhere.",
        _mean_pk(pasted=(0.030, 0.058), chapters=(0.338, 0.434), lectures=(0.279, 0.285)),
        "alone", uses_heads=False, cut=partial(_partition, of=(_embeddings,)),
    ),
    Method(
        "separator_attention", "Attention to separators",
        "Cuts after the sentences whose separators get most attention in the final third of the layers.",
        HALEVI, "seeing where attention gathers; as a segmentation it was no better than random cuts.",
        _mean_pk(pasted=(0.467, 0.464)),
        "separated", uses_heads=False, cut=_separator_attention,
    ),
    Method(
        "texttiling", "TextTiling on words",
        "Compares the words before and after a gap; looks at no model.",
        "nltk's TextTiling (Hearst 1997)",
        "texts that no model reads well: better than chance with the number given, behind every partition.",
        _mean_pk(pasted=(0.349, 0.342), chapters=(0.385, 0.637), lectures=(0.369, 0.573)),
        None, uses_heads=False, cut=_texttiling,
    ),
    Method(
        "even_cuts", "Even cuts",
        "Segments of like length, one for every ten sentences unless a number is given.",
        "a chance level", "knowing what no method at all reaches.",
        _mean_pk(pasted=(0.394, 0.413), chapters=(0.485, 0.646), lectures=(0.495, 0.573)),
        None, uses_heads=False, cut=_even_cuts,
    ),
)  # fmt: skip
