"""The effects that claims are about, over all texts and without each group of texts, with chance and interval."""

from collections.abc import Mapping

import numpy as np

from attn_core.measures.noise import noise_rate, without_each_text
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, ANCHORED, GATHERING, HEAD_OVERLAP, REPEATING
from attn_core.measures.tally import Tally
from attn_core.numerics.leave_one_out import interval, interval_of_logarithm

Values = Mapping[str, np.ndarray]  # effect -> its value in every row of a tally, (R,)


def part_of(layers: int, parts: int) -> int:
    """The number of layers in one of `parts` equal parts of a model, rounded down, at least 1."""
    return max(1, layers // parts)


def effect_values(tally: Tally, shape: tuple[int, int]) -> tuple[Values, Values]:
    """The effects in each row of a tally and their chance levels, (R,) each; NaN where an effect is undefined.

    tally: counts of statistics by head or by layer. shape: (layers, heads per layer).
    """
    layers, _ = shape
    half, third, fourth = (part_of(layers, parts) for parts in (2, 3, 4))

    def by_layer(name: str) -> np.ndarray:
        values = tally.values(name)
        return values.reshape(len(values), layers, -1).mean(axis=-1)

    with np.errstate(invalid="ignore", divide="ignore"):
        distance = by_layer("mean_distance") / tally.chances("mean_distance")
        sentences = by_layer("same_sentence_share") / tally.chances("same_sentence_share")
        separators = by_layer("separator_attention") / tally.chances("separator_attention")
        early, late = sentences[:, :third].mean(axis=1), sentences[:, -third:].mean(axis=1)
        final = separators[:, -fourth:].mean(axis=1)
        values = {
            "own_pairs": 1 - tally.values(HEAD_OVERLAP.name).mean(axis=1),
            "later_reach": distance[:, -half:].mean(axis=1) / distance[:, 0] - 1,
            "reach": distance[:, -1] / distance[:, 0] - 1,
            "late_sentences": late,
            "sentences": late / np.maximum(early, 1),
            **{name: tally.values(one.name).mean(axis=1) for name, one in OF_HEADS.items()},
            "separators": final,
            "separator_trend": final / separators[:, :fourth].mean(axis=1),
            "noise": _of_median_heads(noise_rate(tally)[0], shape),
        }
    chance = {name: np.full(len(final), _BY_CHANCE.get(name, 0.0)) for name in values}
    chance["own_pairs"] = 1 - tally.chances(HEAD_OVERLAP.name).mean(axis=1)
    return values, chance


def _of_median_heads(rates: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The median noise rate of each layer's heads, mean over layers: (R, H) -> (R,)."""
    return np.median(rates.reshape(-1, *shape), axis=-1).mean(axis=1)


def reference_error(tally: Tally, shape: tuple[int, int]) -> float:
    """The leave-one-out standard error of the noise over reference texts; of its logarithm if no rate is 0."""
    without = np.array([_of_median_heads(rates[:1], shape)[0] for rates in without_each_text(tally)])
    if len(without) < 2:
        return 0.0
    values = np.log(without) if (without > 0).all() else without
    return float(np.sqrt((len(values) - 1) * values.var()))


OF_HEADS = {"repeating": REPEATING, "gathering": GATHERING, "anchored": ANCHORED, "distinct": ANCHOR_UNIQUENESS}
# Chance levels other than 0.
_BY_CHANCE = dict.fromkeys(("late_sentences", "sentences", "separators", "separator_trend", "noise"), 1.0)

# Effects whose intervals are computed on a logarithmic scale, and the number added first: a change is a ratio minus 1.
LOGARITHMIC = {
    "later_reach": 1.0, "reach": 1.0, "late_sentences": 0.0, "sentences": 0.0, "separators": 0.0,
    "separator_trend": 0.0, "noise": 0.0,
}  # fmt: skip


def bounds(by_effect: Values, sizes: np.ndarray, reference_error: float = 0.0) -> dict[str, tuple[float, float]]:
    """The 95 % interval (low, high) of every effect; NaN where there is none.

    by_effect: (1 + GROUPS,), values over all texts and without each group. sizes: (GROUPS,), sizes of the groups.
    reference_error: the standard error of the noise over reference texts; it widens the interval of the noise.
    """
    found = {}
    for name, values in by_effect.items():
        if name in LOGARITHMIC:
            added, error = LOGARITHMIC[name], reference_error if name == "noise" else 0.0
            low, high = (end - added for end in interval_of_logarithm(values + added, sizes, error))
        else:
            low, high = np.clip(interval(values, sizes), 0, 1)
        found[name] = float(low), float(high)
    return found
