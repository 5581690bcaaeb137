"""The ways to segment a text, as data: what each does, where it comes from, what it is best for, and its function.

To add a method, write a function from a `Task` to a `Cut` and add it to `METHODS`: the page, the command line and the
benchmark take it from there. `measured` holds mean Pk as `segment-benchmark` gives it with MiniLM, by kind of text.
"""

import numpy as np

from attn_core.errors import TextError
from attn_core.segmentation import baselines, peaks
from attn_core.segmentation.change_points import change_points
from attn_core.segmentation.method import Cut, Measured, Method, Task
from attn_core.segmentation.number import find_number
from attn_core.segmentation.partition import LONGEST, best_partition, cut_values, penalised_partition, segment_gains
from attn_core.segmentation.peaks import cohesion
from attn_core.segmentation.vectors import centred, content, head_vectors, joined

FINAL_LAYERS = 1 / 3  # the share of layers that count as the final ones for separator attention (our choice)


def by_name(name: str) -> Method:
    """Raises TextError for a method that does not exist."""
    for method in METHODS:
        if method.name == name:
            return method
    raise TextError(f"There is no method {name!r}: choose one of {', '.join(method.name for method in METHODS)}.")


def _separator_attention(task: Task) -> Cut:
    layers = task.outputs.separator_attention.shape[0]
    final = max(1, round(layers * FINAL_LAYERS))
    return _pick(task.outputs.separator_attention[-final:].mean(axis=(0, 1))[:-1].astype(float), task)


def _block_depth(task: Task) -> Cut:
    return _pick(peaks.depths(cohesion(head_vectors(task.outputs.vectors, task.weights))), task)


def _partition_of_heads(task: Task) -> Cut:
    return _partition(head_vectors(task.outputs.vectors, task.weights), task)


def _partition_of_both(task: Task) -> Cut:
    heads = head_vectors(task.outputs.vectors, task.weights)
    return _partition(joined(heads, centred(task.outputs.embeddings)), task)


def _partition_of_embeddings(task: Task) -> Cut:
    return _partition(centred(task.outputs.embeddings), task)


def _change_points(task: Task) -> Cut:
    vectors = head_vectors(task.outputs.vectors, task.weights)
    penalty = KERNEL_PENALTY if task.threshold is None else task.threshold
    boundaries = change_points(vectors, task.segments, penalty)
    scores = cut_values(segment_gains(vectors), boundaries)
    return Cut(boundaries, scores, None if task.segments else penalty)


def _texttiling(task: Task) -> Cut:
    depths, boundaries = baselines.texttiling(task.outputs.document)
    return Cut(boundaries, depths) if task.segments is None else Cut(peaks.highest(depths, task.segments), depths)


def _even_cuts(task: Task) -> Cut:
    size = len(task.outputs)
    return _blind(baselines.even_cuts(size, task.segments or baselines.usual_number(size)), size)


def _random_cuts(task: Task) -> Cut:
    size = len(task.outputs)
    return _blind(baselines.random_cuts(size, task.segments or baselines.usual_number(size)), size)


def _blind(boundaries: tuple[int, ...], size: int) -> Cut:
    scores = np.zeros(size - 1)
    scores[np.array(boundaries, dtype=int) - 1] = 1.0
    return Cut(boundaries, scores)


def _pick(scores: np.ndarray, task: Task) -> Cut:
    if task.segments is not None:
        return Cut(peaks.highest(scores, task.segments), scores)
    threshold = peaks.usual_threshold(scores) if task.threshold is None else task.threshold
    return Cut(peaks.above(scores, threshold), scores, threshold)


def _partition(vectors: np.ndarray, task: Task) -> Cut:
    weights = content(task.outputs.tokens)
    if task.segments is not None:
        # segments of twice the mean length must be possible, however long the text
        gains = segment_gains(vectors, max(LONGEST, -(-2 * len(vectors) // task.segments)), weights=weights)
        boundaries, penalty = best_partition(gains, task.segments), None
    elif task.threshold is not None:
        gains = segment_gains(vectors, weights=weights)
        boundaries, penalty = penalised_partition(gains, task.threshold)[0], task.threshold
    else:
        partition = find_number(vectors, weights)
        gains, boundaries, penalty = partition.gains, partition.boundaries, partition.penalty
    return Cut(boundaries, cut_values(gains, boundaries), penalty)


KERNEL_PENALTY = 0.8  # of 0.6, 0.7, ... 1.0, this one did best on Choi's documents
HALEVI = "Halevi et al. 2026, Physica A 686; the layers and the threshold are our choice"
OURS = "our choice; the cost is that of kernel change-point detection (Arlot, Celisse & Harchaoui 2019)"
METHODS: tuple[Method, ...] = (
    Method(
        name="partition_joined",
        title="Optimal partition, heads and embeddings",
        what="Reads every sentence by itself and cuts the text so that, inside segments, head outputs and sentence "
        "embeddings are most alike, in equal parts.",
        source=OURS,
        best_for="most texts. Not for sections of a chapter, their number to be found: no cut at all has the better Pk.",
        measured=(
            Measured("pasted texts", 0.029, 0.059),
            Measured("textbook chapters", 0.320, 0.378),
            Measured("lectures", 0.293, 0.362),
        ),
        mode="alone",
        uses_heads=True,
        threshold="cost",
        cut=_partition_of_both,
    ),
    Method(
        name="partition_alone",
        title="Optimal partition, sentence by sentence",
        what="Reads every sentence by itself and cuts the text so that the head outputs inside segments are most alike.",
        source=OURS,
        best_for="asking what the heads alone see; as good as the joined partition.",
        measured=(
            Measured("pasted texts", 0.028, 0.065),
            Measured("textbook chapters", 0.310, 0.367),
            Measured("lectures", 0.261, 0.338),
        ),
        mode="alone",
        uses_heads=True,
        threshold="cost",
        cut=_partition_of_heads,
    ),
    Method(
        name="partition_in_context",
        title="Optimal partition, in context",
        what="The same on sentences that were read with their neighbours, in overlapping windows.",
        source=OURS,
        best_for="asking what heads see in running text, slowly.",
        measured=(Measured("pasted texts", 0.075, 0.092),),
        mode="in_context",
        uses_heads=True,
        threshold="cost",
        cut=_partition_of_heads,
    ),
    Method(
        name="partition_embedding",
        title="Optimal partition of sentence embeddings",
        what="The same on the mean of the model's last layer, sentence by sentence: what is mostly used elsewhere.",
        source=OURS,
        best_for="a yardstick: what is mostly used elsewhere.",
        measured=(
            Measured("pasted texts", 0.030, 0.058),
            Measured("textbook chapters", 0.338, 0.434),
            Measured("lectures", 0.279, 0.285),
        ),
        mode="alone",
        uses_heads=False,
        threshold="cost",
        cut=_partition_of_embeddings,
    ),
    Method(
        name="block_depth",
        title="Block scores with depth",
        what="Compares the three sentences before a gap with the three after it and cuts in the deepest valleys.",
        source="TextTiling (Hearst 1997) with head outputs in place of words",
        best_for="a picture of cohesion along the text: every valley shows. Not for long segments.",
        measured=(
            Measured("pasted texts", 0.113, 0.109),
            Measured("textbook chapters", 0.364, 0.588),
            Measured("lectures", 0.501, 0.574),
        ),
        mode="alone",
        uses_heads=True,
        threshold="score",
        cut=_block_depth,
    ),
    Method(
        name="change_points",
        title="Change points",
        what="Kernel change-point detection with a Gaussian kernel on head outputs, sentence by sentence.",
        source="ruptures, KernelCPD (Truong, Oudre & Vayatis 2020)",
        best_for="a second opinion from an established library, number given; it finds far too many in real texts.",
        measured=(
            Measured("pasted texts", 0.037, 0.057),
            Measured("textbook chapters", 0.313, 0.574),
            Measured("lectures", 0.261, 0.573),
        ),
        mode="alone",
        uses_heads=True,
        threshold="cost",
        cut=_change_points,
    ),
    Method(
        name="separator_attention",
        title="Attention to separators",
        what="Cuts after the sentences whose separators get most attention in the final third of the layers.",
        source=HALEVI,
        best_for="seeing where attention gathers; as a segmentation it was no better than random cuts.",
        measured=(Measured("pasted texts", 0.467, 0.464),),
        mode="separated",
        uses_heads=False,
        threshold="score",
        cut=_separator_attention,
    ),
    Method(
        name="texttiling",
        title="TextTiling on words",
        what="Compares the words before and after a gap; looks at no model.",
        source="nltk's TextTiling (Hearst 1997)",
        best_for="texts that no model reads well: better than chance with the number given, behind every partition.",
        measured=(
            Measured("pasted texts", 0.349, 0.342),
            Measured("textbook chapters", 0.385, 0.637),
            Measured("lectures", 0.369, 0.573),
        ),
        mode=None,
        uses_heads=False,
        threshold=None,
        cut=_texttiling,
    ),
    Method(
        name="even_cuts",
        title="Even cuts",
        what="Segments of like length, one for every ten sentences unless a number is given.",
        source="a chance level",
        best_for="knowing what no method at all reaches.",
        measured=(
            Measured("pasted texts", 0.394, 0.413),
            Measured("textbook chapters", 0.485, 0.646),
            Measured("lectures", 0.495, 0.573),
        ),
        mode=None,
        uses_heads=False,
        threshold=None,
        cut=_even_cuts,
    ),
    Method(
        name="random_cuts",
        title="Random cuts",
        what="Boundaries drawn at random, as many as even cuts have.",
        source="a chance level",
        best_for="knowing what luck reaches.",
        measured=(
            Measured("pasted texts", 0.489, 0.475),
            Measured("textbook chapters", 0.481, 0.594),
            Measured("lectures", 0.522, 0.559),
        ),
        mode=None,
        uses_heads=False,
        threshold=None,
        cut=_random_cuts,
    ),
)
