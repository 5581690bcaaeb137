"""The ways to segment a text, as data: what each does, where it comes from, what it is best for, and its function.

To add a method, write a function from a `Task` to a `Cut` and add it to `METHODS`: the page, the command line and the
benchmark take it from there. `measured` holds mean Pk as `segment-benchmark` gives it with MiniLM, by kind of text.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from attn_core.errors import TextError
from attn_core.segmentation import baselines, peaks
from attn_core.segmentation.number import find_number
from attn_core.segmentation.partition import (
    LONGEST,
    best_partition,
    change_points,
    cut_values,
    penalised_partition,
    segment_gains,
)
from attn_core.segmentation.peaks import cohesion
from attn_core.segmentation.sentences import Mode, SentenceOutputs
from attn_core.segmentation.vectors import centred, content, head_vectors, joined

Threshold = Literal["score", "cost"]
RANDOM_CUTS = 0.5  # their mean Pk
FINAL_LAYERS = 1 / 3  # the share of layers that count as the final ones for separator attention (our choice)


@dataclass(frozen=True, eq=False)
class Task:
    """What a method gets: sentences, weights (layer, head), the sentences before which a boundary may lie, a number of
    segments or None, a threshold or None."""

    outputs: SentenceOutputs
    weights: np.ndarray
    places: np.ndarray
    segments: int | None
    threshold: float | None

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

    uses_heads: whether the choice of heads matters. threshold: what a threshold would bound, None where none can be set:
    the "score" of a gap from which on it is a boundary, or the "cost" of each boundary, in units of the method's own.
    measured: how well it did on the kinds of text that it was tried on.
    """

    name: str
    title: str
    what: str
    source: str
    best_for: str
    measured: tuple[Measured, ...]
    mode: Mode | None
    uses_heads: bool
    threshold: Threshold | None
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


def _block_depth(task: Task) -> Cut:
    return _pick(peaks.depths(cohesion(head_vectors(task.outputs.vectors, task.weights)))[task.places - 1], task)


def _partition_of_heads(task: Task) -> Cut:
    return _partition(head_vectors(task.outputs.vectors, task.weights), task)


def _partition_of_both(task: Task) -> Cut:
    heads = head_vectors(task.outputs.vectors, task.weights)
    return _partition(joined(heads, centred(task.outputs.embeddings)), task)


def _partition_of_embeddings(task: Task) -> Cut:
    return _partition(centred(task.outputs.embeddings), task)


def _change_points(task: Task) -> Cut:
    vectors = np.add.reduceat(head_vectors(task.outputs.vectors, task.weights), task.starts, axis=0)
    penalty = KERNEL_PENALTY if task.threshold is None else task.threshold
    boundaries = change_points(vectors, task.segments, penalty)
    scores = cut_values(segment_gains(vectors), boundaries)
    return Cut(boundaries, scores, None if task.segments else penalty)


def _texttiling(task: Task) -> Cut:
    depths, boundaries = baselines.texttiling(task.outputs.document, task.places)
    return Cut(boundaries, depths) if task.segments is None else Cut(peaks.highest(depths, task.segments), depths)


def _even_cuts(task: Task) -> Cut:
    return _blind(baselines.even_cuts, task)


def _random_cuts(task: Task) -> Cut:
    return _blind(baselines.random_cuts, task)


def _blind(cuts: Callable[[int, int], tuple[int, ...]], task: Task) -> Cut:
    size = len(task.starts)
    boundaries = cuts(size, task.segments or min(baselines.usual_number(len(task.outputs)), size))
    scores = np.zeros(size - 1)
    scores[np.array(boundaries, dtype=int) - 1] = 1.0
    return Cut(boundaries, scores)


def _pick(scores: np.ndarray, task: Task) -> Cut:
    if task.segments is not None:
        return Cut(peaks.highest(scores, task.segments), scores)
    threshold = peaks.usual_threshold(scores) if task.threshold is None else task.threshold
    return Cut(peaks.above(scores, threshold), scores, threshold)


def _partition(vectors: np.ndarray, task: Task) -> Cut:
    weights, starts = content(task.outputs.tokens), task.starts
    if task.segments is not None:
        # segments of twice the mean length must be possible, however long the text
        gains = segment_gains(vectors, max(LONGEST, -(-2 * len(starts) // task.segments)), weights, starts)
        boundaries, penalty = best_partition(gains, task.segments), None
    elif task.threshold is not None:
        gains = segment_gains(vectors, weights=weights, starts=starts)
        boundaries, penalty = penalised_partition(gains, task.threshold)[0], task.threshold
    else:
        partition = find_number(vectors, weights, starts)
        gains, boundaries, penalty = partition.gains, partition.boundaries, partition.penalty
    return Cut(boundaries, cut_values(gains, boundaries), penalty)


def _mean_pk(**by_kind: tuple[float, float]) -> tuple[Measured, ...]:
    """Mean Pk with the number of segments given and found, by the kind of text as `KINDS_OF_TEXT` names it."""
    return tuple(Measured(KINDS_OF_TEXT[kind], given, found) for kind, (given, found) in by_kind.items())


KINDS_OF_TEXT = {"pasted": "pasted texts", "chapters": "textbook chapters", "lectures": "lectures"}
KERNEL_PENALTY = 0.8  # of 0.6, 0.7, ... 1.0, this one did best on Choi's documents
HALEVI = "Halevi et al. 2026, Physica A 686; the layers and the threshold are our choice"
OURS = "our choice; the cost is that of kernel change-point detection (Arlot, Celisse & Harchaoui 2019)"
METHODS: tuple[Method, ...] = (
    Method(
        "partition_joined", "Optimal partition, heads and embeddings",
        "Reads every sentence by itself and cuts the text so that, inside segments, head outputs and sentence "
        "embeddings are most alike, in equal parts.",
        OURS, "most texts. Where the sections of a chapter are to be found and counted, no cut at all has the better Pk.",
        _mean_pk(pasted=(0.029, 0.059), chapters=(0.320, 0.378), lectures=(0.293, 0.362)),
        "alone", uses_heads=True, threshold="cost", cut=_partition_of_both,
    ),
    Method(
        "partition_alone", "Optimal partition, sentence by sentence",
        "Reads every sentence by itself and cuts the text so that the head outputs inside segments are most alike.",
        OURS, "asking what the heads alone see; as good as the joined partition.",
        _mean_pk(pasted=(0.028, 0.065), chapters=(0.310, 0.367), lectures=(0.261, 0.338)),
        "alone", uses_heads=True, threshold="cost", cut=_partition_of_heads,
    ),
    Method(
        "partition_in_context", "Optimal partition, in context",
        "The same on sentences that were read with their neighbours, in overlapping windows.",
        OURS, "asking what heads see in running text, slowly.",
        _mean_pk(pasted=(0.075, 0.092)),
        "in_context", uses_heads=True, threshold="cost", cut=_partition_of_heads,
    ),
    Method(
        "partition_embedding", "Optimal partition of sentence embeddings",
        "The same on the mean of the model's last layer, sentence by sentence: what is mostly used elsewhere.",
        OURS, "a yardstick: what is mostly used elsewhere.",
        _mean_pk(pasted=(0.030, 0.058), chapters=(0.338, 0.434), lectures=(0.279, 0.285)),
        "alone", uses_heads=False, threshold="cost", cut=_partition_of_embeddings,
    ),
    Method(
        "block_depth", "Block scores with depth",
        "Compares the three sentences before a gap with the three after it and cuts in the deepest valleys.",
        "TextTiling (Hearst 1997) with head outputs in place of words",
        "a picture of cohesion along the text: every valley shows. Not for long segments.",
        _mean_pk(pasted=(0.113, 0.109), chapters=(0.364, 0.588), lectures=(0.501, 0.574)),
        "alone", uses_heads=True, threshold="score", cut=_block_depth,
    ),
    Method(
        "change_points", "Change points",
        "Kernel change-point detection with a Gaussian kernel on head outputs, sentence by sentence.",
        "ruptures, KernelCPD (Truong, Oudre & Vayatis 2020)",
        "a second opinion from an established library, number given; it finds far too many in real texts.",
        _mean_pk(pasted=(0.037, 0.057), chapters=(0.313, 0.574), lectures=(0.261, 0.573)),
        "alone", uses_heads=True, threshold="cost", cut=_change_points,
    ),
    Method(
        "separator_attention", "Attention to separators",
        "Cuts after the sentences whose separators get most attention in the final third of the layers.",
        HALEVI, "seeing where attention gathers; as a segmentation it was no better than random cuts.",
        _mean_pk(pasted=(0.467, 0.464)),
        "separated", uses_heads=False, threshold="score", cut=_separator_attention,
    ),
    Method(
        "texttiling", "TextTiling on words",
        "Compares the words before and after a gap; looks at no model.",
        "nltk's TextTiling (Hearst 1997)",
        "texts that no model reads well: better than chance with the number given, behind every partition.",
        _mean_pk(pasted=(0.349, 0.342), chapters=(0.385, 0.637), lectures=(0.369, 0.573)),
        None, uses_heads=False, threshold=None, cut=_texttiling,
    ),
    Method(
        "even_cuts", "Even cuts",
        "Segments of like length, one for every ten sentences unless a number is given.",
        "a chance level", "knowing what no method at all reaches.",
        _mean_pk(pasted=(0.394, 0.413), chapters=(0.485, 0.646), lectures=(0.495, 0.573)),
        None, uses_heads=False, threshold=None, cut=_even_cuts,
    ),
    Method(
        "random_cuts", "Random cuts",
        "Boundaries drawn at random, as many as even cuts have.",
        "a chance level", "knowing what luck reaches.",
        _mean_pk(pasted=(0.489, 0.475), chapters=(0.481, 0.594), lectures=(0.522, 0.559)),
        None, uses_heads=False, threshold=None, cut=_random_cuts,
    ),
)  # fmt: skip
