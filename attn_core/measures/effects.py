"""Every claim as one effect or two: a number, what it is by chance, and its 95 % interval; and what of a window it needs.

The interval of a study is over its texts (`poisson_bootstrap`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attn_core.measures import pair_properties as properties
from attn_core.measures.comparison import count_of_shared
from attn_core.measures.standing_out import KINDS, Shares, counts_of_shares, shares_of_layers
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, HEAD_OVERLAP, STANDING_OUT
from attn_core.measures.tally import Count, Tally, counted_alike
from attn_core.measures.token_coverage import TokenCoverage
from attn_core.measures.uniqueness import count_of_distinct
from attn_core.measures.window_counts import HEAD_STATISTICS, RANDOM_OVERLAP
from attn_core.numerics.poisson_bootstrap import interval

ALIKE = (*KINDS, ANCHOR_UNIQUENESS.name)  # of which windows count alike
FROM_ALIKE = ("repeating", "gathering", "anchored", "distinct")  # the effects that rest on them
COLUMNS = ("effect", "value", "low", "high", "chance", "units", "over", "left_out")
Values = Mapping[str, np.ndarray]  # by effect, the value in every row of a tally, (R,)


def thirds(layers: int) -> int:
    """How many layers are the first, or the last, third."""
    return max(1, layers // 3)


def quarter(layers: int) -> int:
    """How many layers are the first, or the last, quarter."""
    return max(1, layers // 4)


def half(layers: int) -> int:
    """How many layers are the later half."""
    return max(1, layers // 2)


def effect_values(tally: Tally, shape: tuple[int, int]) -> tuple[Values, Values]:
    """Every effect in every row of a tally, and what chance, or heads without structure, would give.

    shape: (layers, heads a layer). Of distances, sentences and separators the tally may hold layers or heads. NaN where a
    model or a text cannot be asked.
    """
    layers, heads = shape
    third, fourth = thirds(layers), quarter(layers)

    def by_layer(name: str) -> np.ndarray:
        return tally.values(name).reshape(-1, layers, tally.size(name) // layers).mean(axis=-1)

    with np.errstate(invalid="ignore", divide="ignore"):
        distance = by_layer("mean_distance") / tally.chances("mean_distance")
        sentences = by_layer("same_sentence_share") / tally.chances("same_sentence_share")
        separators = by_layer("separator_attention") / tally.chances("separator_attention")
        early, late = sentences[:, :third].mean(axis=1), sentences[:, -third:].mean(axis=1)
        final = separators[:, -fourth:].mean(axis=1)
        anchored, by_chance = (of(STANDING_OUT[-1].name).mean(axis=1) for of in (tally.values, tally.chances))
        repeating, gathering = (
            (tally.values(one.name) - tally.chances(one.name)).mean(axis=1) for one in STANDING_OUT[:-1]
        )
        distinct = tally.values(ANCHOR_UNIQUENESS.name) - tally.chances(ANCHOR_UNIQUENESS.name)
        noise = np.median(tally.values("noise_rate").reshape(-1, layers, heads), axis=-1).mean(axis=1)
        values = {
            "own_pairs": 1 - tally.values(HEAD_OVERLAP.name).mean(axis=1),
            "later_reach": distance[:, -half(layers) :].mean(axis=1) / distance[:, 0] - 1,
            "reach": distance[:, -1] / distance[:, 0] - 1,
            "late_sentences": late,
            "sentences": late / np.maximum(early, 1),
            "repeating": repeating,
            "gathering": gathering,
            "anchored": anchored,
            "distinct": distinct.mean(axis=1),
            "separators": final,
            "separator_trend": final / separators[:, :fourth].mean(axis=1),
            "noise": noise,
        }
    chance = {name: np.full(len(noise), _BY_CHANCE.get(name, 0.0)) for name in values}
    chance |= {"own_pairs": 1 - tally.values(RANDOM_OVERLAP).mean(axis=1), "anchored": by_chance}
    return values, chance


# What even attention, or heads without a trend or structure, give; 0 where nothing else stands here.
_BY_CHANCE = dict.fromkeys(("late_sentences", "sentences", "separators", "separator_trend", "noise"), 1.0)

# Where a value lies whatever heads do: no bound of an interval is beyond it. From 0 up where nothing else stands here.
_POSSIBLE = {
    "own_pairs": (0, 1), "anchored": (0, 1), "later_reach": (-1, np.inf), "reach": (-1, np.inf), "repeating": (-1, 1),
    "gathering": (-1, 1), "distinct": (-1, 1),
}  # fmt: skip


def effects_of_texts(tally: Tally, shape: tuple[int, int], sizes: np.ndarray, over: str = "texts") -> pd.DataFrame:
    """The effects of a study, with intervals over its texts, or groups of them: columns `COLUMNS`.

    tally: with the bootstrap's replicates.
    """
    return effects_over_texts(*effect_values(tally, shape), sizes, left_out(tally), over)


def left_out(tally: Tally) -> float:
    """How many windows have too few pairs to count alike with the others; NaN where no window has enough."""
    return tally.left_out(KINDS[0])


def effects_over_texts(
    by_effect: Values, chance: Values, sizes: np.ndarray, left_out: float = 0.0, over: str = "texts"
) -> pd.DataFrame:
    """The same of values and chance levels in every replicate, (R,); sizes: of the texts, or groups.

    left_out: as of that function.
    """
    texts = np.count_nonzero(sizes)
    rows = [
        (name, values[0], *_over_texts(name, values, sizes), chance[name][0], texts, over)
        for name, values in by_effect.items()
    ]
    return pd.DataFrame([(*row, left_out if row[0] in FROM_ALIKE else 0.0) for row in rows], columns=COLUMNS)


def _over_texts(name: str, values: np.ndarray, sizes: np.ndarray) -> tuple[float, float]:
    """The bounds of an effect; of the noise those of its logarithm, which 0 has not.

    A few texts make much of the noise (skewness 2): plain bounds cover 0.84 to 0.88 of corpora of 4 to 20 texts
    (docs/results.md).
    """
    if name == "noise" and not (values <= 0).any():
        low, high = np.exp(interval(np.log(values), sizes))
    else:
        low, high = interval(values, sizes)
    least, most = _POSSIBLE.get(name, (0, np.inf))
    return float(np.clip(low, least, most)), float(np.clip(high, least, most))


PROPERTIES = {
    "mean_distance": properties.distance,
    "same_sentence_share": properties.same_sentence,
    "repetition_share": properties.repetition,
    "separator_share": properties.separator,
}


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over the strong pairs of each head, by name of `PROPERTIES`, (layer, head).

    touching: the tokens that they touch; moved: those where the tokens changed places, in every draw. shared: (layer,),
    ordered pairs of heads that share a strong pair.
    """

    of: Mapping[str, np.ndarray]
    shared: np.ndarray
    touching: TokenCoverage
    moved: Sequence[TokenCoverage] = ()


def effect_counts(
    own: Sums, random: Sums, chance: Mapping[str, float], best: float, pairs: int, of_window: Mapping[str, Count]
) -> dict[str, Count]:
    """What the effects need of a window. random: of structureless heads.

    chance: the mean of every property over all P pairs, so many. best: what the best token touches of random pairs.
    of_window: what of it is counted of no pair of the window's tokens.
    """
    strong = own.touching.strong

    def mean(name: str) -> Count:
        return Count(own.of[name], chance[name] * strong, strong)

    def standing_out(sums: Sums) -> Shares:
        of_pairs = ((sums.of[name] / strong, chance[name]) for name in ("repetition_share", "separator_share"))
        return shares_of_layers(sums.touching, best, *of_pairs)

    def in_common(sums: Sums) -> Count:
        return count_of_shared(sums.shared, sums.touching.pairs.shape[1], strong, pairs)

    alike = counts_of_shares(standing_out(own), standing_out(random))
    alike[ANCHOR_UNIQUENESS.name] = count_of_distinct(own.touching, own.moved)
    return {
        "mean_distance": mean("mean_distance"),
        "same_sentence_share": mean("same_sentence_share"),
        **of_window,
        HEAD_OVERLAP.name: in_common(own),
        RANDOM_OVERLAP: in_common(random),
        **counted_alike(alike, strong),
    }
