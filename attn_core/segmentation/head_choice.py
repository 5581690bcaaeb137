"""Which heads see topics? A power for every head, found without gold boundaries, and weights that follow from it.

The power of a head is the lag contrast of its sentence similarity: sentences 1 to 4 apart (mostly one topic) against
sentences more than 12 apart (mostly another), in standard deviations. Topics of a long text may be longer, so the lags
are doubled twice as far as the text allows, and the power is the mean over these scales. Sentences that were read in
one window resemble each other for that alone. How much shows in the same sentences, shuffled before they are read:
their contrast is taken off, and a head counts the less the larger it is. Sentences that are read alone need no shuffled
reading.

Every head of positive power takes part, weighted by the fourth power of its power: heads of middling power add up to
more than a few of the best, and heads of little power add noise.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attn_core.errors import TextError
from attn_core.head import head_of
from attn_core.io import disk_cache
from attn_core.io.code_digest import counting_digest
from attn_core.io.tables import software
from attn_core.models.records import LoadedModel
from attn_core.segmentation.sentences import Mode, SentenceOutputs, encode_sentences
from attn_core.segmentation.vectors import centred
from attn_core.texts.documents import Document, read_document

CALIBRATION = Path(__file__).parent / "calibration.txt"  # 451 sentences, one a line
SCALES = ((4, 12), (8, 24), (16, 48))  # sentences: at most so far apart, and farther than that
EXPONENT = 4
ENOUGH = 30  # sentences from which on a text can choose its own heads
AT_MOST = 500  # sentences of it that are looked at
GOLD_REACH = 12  # calibration compares sentences at most this far apart


@dataclass(frozen=True, eq=False)
class HeadChoice:
    """What every head counts for. power, weights: (layer, head); weights are 0 or more and add up to 1.

    source: where the power comes from, in words.
    """

    power: np.ndarray
    weights: np.ndarray
    source: str


def head_power(outputs: SentenceOutputs, shuffled_outputs: SentenceOutputs | None = None) -> np.ndarray:
    """(layer, head): the lag contrast c of a text; with the contrast c0 of the same sentences read in random order,
    (c - c0) / (1 + max(c0, 0)).

    c is the mean over the `SCALES` that fit twice into the text, the first of them in any case; 0 everywhere for a text
    that is too short to have sentences more than 12 apart.
    """
    contrast = _lag_contrast(outputs)
    if shuffled_outputs is None:
        return contrast
    chance = _lag_contrast(shuffled_outputs)
    return (contrast - chance) / (1 + np.maximum(chance, 0.0))


def weigh(power: np.ndarray, source: str) -> HeadChoice:
    """Weights from a power (layer, head); where no head has a positive one, all count alike."""
    weights = np.maximum(power, 0.0) ** EXPONENT
    weights = weights if weights.sum() > 0 else np.ones_like(weights)
    return HeadChoice(power, weights / weights.sum(), source)


def these_heads(heads: Sequence[str | tuple[int, int]], layers: int, heads_a_layer: int) -> HeadChoice:
    """The given heads in equal parts: by name, L3H10, or (layer, head), counted from 0."""
    weights = np.zeros((layers, heads_a_layer))
    for head in heads:
        weights[head_of(head, layers, heads_a_layer)] = 1.0
    if not weights.any():
        raise TextError("Choose at least one head.")
    return HeadChoice(weights.copy(), weights / weights.sum(), "chosen by hand")


def heads_from_text(
    model: LoadedModel, outputs: SentenceOutputs, progress: Callable[[int, int], None] | None = None
) -> HeadChoice:
    """The choice that a text itself suggests, from its first 500 sentences. In context they are read once more, shuffled."""
    return weigh(_power_of(model, _beginning(outputs), progress), "the text at hand")


def default_heads(model: LoadedModel, mode: Mode, progress: Callable[[int, int], None] | None = None) -> HeadChoice:
    """The choice that the calibration text suggests, found once per model and kept, see `io.disk_cache`."""
    tokenizer = model.tokenizer.backend_tokenizer.to_str()
    key = disk_cache.key_of(
        "power of heads", model.spec, model.revision, tokenizer, mode, calibration_text().text, _program()
    )
    if entry := disk_cache.find(key):
        power = entry.arrays["power"]
    else:
        power = _power_of(model, encode_sentences(model, calibration_text(), mode, progress), progress)
        disk_cache.keep(key, {"power": power}, {})
    return weigh(power, "a calibration text of ordinary prose")


def _program() -> tuple[str, dict[str, str]]:
    """What else the power hangs on: the modules that read sentences and weigh heads, and the libraries below them."""
    return counting_digest(("segmentation.head_choice",)), software()


def usual_heads(
    model: LoadedModel, outputs: SentenceOutputs, progress: Callable[[int, int], None] | None = None
) -> HeadChoice:
    """What is taken where nobody chooses: the text's own choice where it has 30 sentences, else the calibration text's.

    The text's own, too, where the model's tokenizer cannot read the calibration text.
    """
    if len(outputs) < ENOUGH:
        with suppress(TextError):
            return default_heads(model, outputs.mode, progress)
    return heads_from_text(model, outputs, progress)


def calibrate(outputs: Sequence[SentenceOutputs]) -> HeadChoice:
    """The choice that texts with gold boundaries suggest: how much more alike sentences of one segment are than
    sentences of two, among those at most 12 apart, in standard deviations; mean over the texts.

    Raises TextError where no text has gold boundaries.
    """
    contrasts = [_gold_contrast(each) for each in outputs if each.document.gold]
    if not contrasts:
        raise TextError("Calibration needs a text with gold boundaries: lines of ========== between its segments.")
    return weigh(np.mean(contrasts, axis=0), f"{len(contrasts)} texts with gold boundaries")


def calibration_text() -> Document:
    """Ordinary English prose on many topics, without gold boundaries; it never changes, so that the weights never do."""
    return read_document(CALIBRATION.read_text(encoding="utf-8"), sentences="lines")


def shuffled(document: Document) -> Document:
    """The same sentences in random order."""
    order = np.random.default_rng(0).permutation(len(document.sentences))
    return _joined([document.sentence(int(index)) for index in order])


def _joined(sentences: Sequence[str]) -> Document:
    ends = np.cumsum([len(sentence) + 1 for sentence in sentences]) - 1
    spans = tuple((int(end) - len(sentence), int(end)) for sentence, end in zip(sentences, ends, strict=True))
    return Document("\n".join(sentences), spans)


def _power_of(model: LoadedModel, outputs: SentenceOutputs, progress: Callable[[int, int], None] | None) -> np.ndarray:
    if outputs.mode == "alone":
        return head_power(outputs)
    return head_power(outputs, encode_sentences(model, shuffled(outputs.document), outputs.mode, progress))


def _beginning(outputs: SentenceOutputs) -> SentenceOutputs:
    """The first sentences of what was read; gold boundaries are left behind."""
    if len(outputs) <= AT_MOST:
        return outputs
    document = outputs.document
    return SentenceOutputs(
        document=Document(document.text[: document.sentences[AT_MOST - 1][1]], document.sentences[:AT_MOST]),
        mode=outputs.mode,
        vectors=outputs.vectors[:, :, :AT_MOST],
        separator_attention=outputs.separator_attention[:, :, :AT_MOST],
        embeddings=outputs.embeddings[:AT_MOST],
        tokens=outputs.tokens[:AT_MOST],
    )


def _lag_contrast(outputs: SentenceOutputs) -> np.ndarray:
    """(layer, head): (mean similarity at small lags minus mean at large ones) / standard deviation over all pairs."""
    size = len(outputs)
    lag = np.subtract.outer(np.arange(size), np.arange(size))
    pairs = lag > 0
    scales = [(pairs & (lag <= near), lag > far) for near, far in SCALES if 2 * far < size or (near, far) == SCALES[0]]
    if not scales[0][1].any():
        return np.zeros(outputs.vectors.shape[:2])

    def power(similarity: np.ndarray) -> float:
        return float(np.mean([_contrast(similarity, near, far, pairs) for near, far in scales]))

    return _each_head(outputs, power)


def _gold_contrast(outputs: SentenceOutputs) -> np.ndarray:
    size = len(outputs)
    segment = np.searchsorted(np.array(outputs.document.gold), np.arange(size), side="right")
    lag = np.subtract.outer(np.arange(size), np.arange(size))
    pairs = (lag > 0) & (lag <= GOLD_REACH)
    same = np.equal.outer(segment, segment)
    if not (pairs & same).any() or not (pairs & ~same).any():
        return np.zeros(outputs.vectors.shape[:2])
    return _each_head(outputs, lambda similarity: _contrast(similarity, pairs & same, pairs & ~same, pairs))


def _each_head(outputs: SentenceOutputs, statistic: Callable[[np.ndarray], float]) -> np.ndarray:
    layers, heads = outputs.vectors.shape[:2]
    power = np.zeros((layers, heads))
    for layer, head in np.ndindex(layers, heads):
        vectors = centred(outputs.vectors[layer, head])
        power[layer, head] = statistic(vectors @ vectors.T)
    return power


def _contrast(similarity: np.ndarray, like: np.ndarray, unlike: np.ndarray, pairs: np.ndarray) -> float:
    spread = float(similarity[pairs].std())
    return float(similarity[like].mean() - similarity[unlike].mean()) / spread if spread > 1e-7 else 0.0
