"""Every claim as one effect or two: a number, what it is by chance, and its 95 % interval.

A study's interval is over its texts (`poisson_bootstrap`). A text's is over its parts: each in turn is taken out, with the
pairs that touch it, and the spread of what is left is the standard error (delete-block jackknife, Künsch 1989). The pages of a
book differ otherwise than the parts of one of them, so that each effect's error has a factor, found on windows of novels
(`WIDEN`). The noise of one text is held against several others, and its interval is over those.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from attn_core.measures.comparison import overlap_count
from attn_core.measures.standing_out import KINDS, standing_out_counts
from attn_core.measures.statistics import ANCHOR_UNIQUENESS, BY_NAME, HEAD_OVERLAP, STANDING_OUT
from attn_core.measures.tally import Count, Tally
from attn_core.measures.token_coverage import touched
from attn_core.measures.uniqueness import DRAWS, uniqueness_count
from attn_core.measures.window import Window
from attn_core.measures.window_counts import MADE_UP_OVERLAP, Counted, WindowCounts, add_up, count_window
from attn_core.numerics.poisson_bootstrap import LEAST, around, interval
from attn_core.similarity.strong_pairs import StrongPairs

OF_HEADS = ("mean_distance", "same_sentence_share", "separator_attention", "noise_rate")
NEEDED = (
    *OF_HEADS,
    *KINDS,
    HEAD_OVERLAP.name,
    MADE_UP_OVERLAP,
    ANCHOR_UNIQUENESS.name,
)  # what effects need of a window
FEW_DRAWS = 2  # made-up models a part that is taken out
BLOCKS = 8  # parts of a text of one window; our choice
COLUMNS = ("effect", "value", "low", "high", "chance", "units", "over")
Values = Mapping[str, np.ndarray]  # by effect, the value in every row of a tally, (R,)
# By what the error is multiplied, ours: with it about 95 of 100 windows of a novel hold the novel's mean, in a model of 6 and
# in one of 12 layers (`benchmark.verdicts`). Below 1 where taking out a part, whose pairs are not replaced, tells too much. Of
# the noise that of a difference; its own interval is that of its logarithm.
WIDEN = {
    "own_pairs": 1.3, "reach": 0.8, "sentences": 1.1, "repeating": 1.3, "gathering": 0.8, "anchored": 0.9, "distinct": 0.75,
    "separators": 1.9, "noise": 1.5,
}  # fmt: skip
# By what the noise against one text differs from that against another at least, as the standard deviation of its logarithm,
# ours: four texts that agree by luck would make it too sure. And the noise that is not told from none.
LEAST_SPREAD = 0.3
LEAST_NOISE = 0.01


def thirds(layers: int) -> int:
    """How many layers are the first, or the last, third."""
    return max(1, layers // 3)


def quarter(layers: int) -> int:
    """How many layers are the last quarter."""
    return max(1, layers // 4)


def effect_values(tally: Tally, shape: tuple[int, int]) -> tuple[Values, Values]:
    """Every effect in every row of a tally, and what chance, or heads without structure, would give.

    shape: (layers, heads a layer). Of distances, sentences and separators the tally may hold layers or heads. NaN where a
    model or a text cannot be asked.
    """
    layers, heads = shape
    third = thirds(layers)

    def by_layer(name: str) -> np.ndarray:
        return tally.values(name).reshape(-1, layers, tally.size(name) // layers).mean(axis=-1)

    with np.errstate(invalid="ignore", divide="ignore"):
        distance = by_layer("mean_distance") / tally.chances("mean_distance")
        sentences = by_layer("same_sentence_share") / tally.chances("same_sentence_share")
        separators = by_layer("separator_attention") / tally.chances("separator_attention")
        early, late = sentences[:, :third].mean(axis=1), sentences[:, -third:].mean(axis=1)
        noise = np.median(tally.values("noise_rate").reshape(-1, layers, heads), axis=-1).mean(axis=1)
        values = {
            "own_pairs": 1 - tally.values(HEAD_OVERLAP.name).mean(axis=1),
            "reach": distance[:, -1] / distance[:, 0] - 1,
            "sentences": late / np.maximum(early, 1),
            "separators": separators[:, -quarter(layers) :].mean(axis=1),
            "noise": noise,
        }
    chance = {name: np.full(len(noise), level) for name, level in _BY_CHANCE.items()}
    chance["own_pairs"] = 1 - tally.values(MADE_UP_OVERLAP).mean(axis=1)
    repeating, gathering, anchored = (
        (tally.values(one.name).mean(axis=1), tally.chances(one.name).mean(axis=1)) for one in STANDING_OUT
    )
    distinct = tally.values(ANCHOR_UNIQUENESS.name) - tally.chances(ANCHOR_UNIQUENESS.name)
    values |= {
        "repeating": repeating[0] - repeating[1],
        "gathering": gathering[0] - gathering[1],
        "anchored": anchored[0],
        "distinct": distinct.mean(axis=1),
    }
    chance["anchored"] = anchored[1]
    return values, chance


_BY_CHANCE = {
    "reach": 0.0, "sentences": 1.0, "separators": 1.0, "noise": 1.0, "repeating": 0.0, "gathering": 0.0, "distinct": 0.0,
}  # fmt: skip

# Where a value lies whatever heads do: no bound of an interval is beyond it.
_POSSIBLE = {
    "own_pairs": (0, 1), "anchored": (0, 1), "reach": (-1, np.inf), "sentences": (0, np.inf), "separators": (0, np.inf),
    "repeating": (-1, 1), "gathering": (-1, 1), "distinct": (-1, 1), "noise": (0, np.inf),
}  # fmt: skip


def effects_of_texts(tally: Tally, shape: tuple[int, int], sizes: np.ndarray) -> pd.DataFrame:
    """The effects of a study, with intervals over its texts: columns `COLUMNS`. tally: with the bootstrap's replicates."""
    return effects_over_texts(*effect_values(tally, shape), sizes)


def effects_over_texts(by_effect: Values, chance: Values, sizes: np.ndarray) -> pd.DataFrame:
    """The same of values and chance levels in every replicate, (R,); sizes: of the texts."""
    rows = [
        (name, values[0], *_over_texts(name, values, sizes), chance[name][0], np.count_nonzero(sizes), "texts")
        for name, values in by_effect.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _over_texts(name: str, values: np.ndarray, sizes: np.ndarray) -> tuple[float, float]:
    """The bounds of an effect; of the noise those of its logarithm, which 0 has not.

    A few texts make much of the noise (skewness 2): plain bounds cover 0.84 to 0.88 of corpora of 4 to 20 texts
    (`benchmark.coverage`).
    """
    if name == "noise" and not (values <= 0).any():
        low, high = np.exp(interval(np.log(values), sizes))
    else:
        low, high = interval(values, sizes)
    return _possible(name, low, high)


def _possible(name: str, low: float, high: float) -> tuple[float, float]:
    least, most = _POSSIBLE[name]
    return float(np.clip(low, least, most)), float(np.clip(high, least, most))


@dataclass(frozen=True, eq=False)
class PartByPart:
    """Every effect of a text, and what it is without each of its parts.

    values, chance: by effect, (1 + parts,), row 0 the whole text. noise: (texts,), against each unrelated text. over: what
    the parts are.
    """

    values: Values
    chance: Values
    noise: np.ndarray
    over: str


def counted_in_parts(windows: Iterable[Window]) -> tuple[Counted, "PartsOfText"]:
    """Everything that is counted of a text, or of few, all windows together; and the parts that can be taken out of it."""
    parts = PartsOfText()
    return add_up(parts.counted(windows)), parts


class PartsOfText:
    """The windows of a text, added one after another; of a long text no window is kept, only what was counted of it."""

    def __init__(self) -> None:
        self._shape = (0, 0)
        self._few: list[Window] = []
        self._counts: list[dict[str, Count]] = []
        self._rates: list[np.ndarray] = []
        self._sizes: list[int] = []

    def counted(self, windows: Iterable[Window]) -> Iterator[WindowCounts]:
        """Everything that is counted of each window, which is added."""
        for window in windows:
            counts = count_window(window)
            self._add(window, counts.counts)
            yield counts

    def _add(self, window: Window, counts: Mapping[str, Count]) -> None:
        *shape, strong = window.pairs.shape
        self._shape = shape[0], shape[1]
        self._counts.append({name: counts[name] for name in NEEDED})
        self._rates.append(window.strength.rates)
        self._sizes.append(strong)
        self._few = [*self._few, window] if len(self._counts) < BLOCKS else []

    def taken_out(self) -> PartByPart:
        """Every effect of the whole, and of it without each of its parts."""
        windows = len(self._counts)
        parts = _parts(self._few) if self._few else [_Part(at, None) for at in range(windows)]
        tally = Tally(len(parts))
        for at, counts in enumerate(self._counts):
            times = np.array([[1.0], *([float(part.window != at)] for part in parts)])
            for name, count in counts.items():
                tally.add_each(name, [count], times)
        for row, part in enumerate(parts, start=1):
            if part.tokens is not None:
                times = np.zeros((1 + len(parts), 1))
                times[row] = 1
                for name, count in effect_counts(without(self._few[part.window], part.tokens), FEW_DRAWS).items():
                    tally.add_each(name, [count], times)
        values, chance = effect_values(tally, self._shape)
        over = "windows" if windows > 1 and len(parts) == windows else "parts of the text"
        return PartByPart(values, chance, _noise_by_text(self._rates, self._sizes), over)


def effects_of_parts(parts: PartByPart) -> pd.DataFrame:
    """The effects with their intervals: columns `COLUMNS`."""
    rows = []
    for name, values in parts.values.items():
        if name == "noise":
            rows.append(_against_texts(parts.noise, values[0]))
        else:
            low, high = _possible(name, *jackknifed(values, WIDEN[name]))
            rows.append((name, values[0], low, high, parts.chance[name][0], len(values) - 1, parts.over))
    return pd.DataFrame(rows, columns=COLUMNS)


def effect_counts(window: Window, draws: int = DRAWS) -> dict[str, Count]:
    """`NEEDED` of one window. draws: made-up models behind the uniqueness by chance."""
    touching, counted = touched(window.pairs), (BY_NAME[name] for name in OF_HEADS)
    return {
        **{one.name: one.count(window) for one in counted if one.count},
        **standing_out_counts(window, touching),
        HEAD_OVERLAP.name: overlap_count(window.pairs),
        MADE_UP_OVERLAP: overlap_count(window.structureless),
        ANCHOR_UNIQUENESS.name: uniqueness_count(window.pairs, touching, draws=draws),
    }


def without(window: Window, tokens: np.ndarray) -> Window:
    """A window without some of its tokens, (N,) bool, and without the pairs that touch them.

    Every head keeps its number of pairs, so that the windows' counts add up: those that remain are taken again from the
    strongest on. A head of which none remains gets pairs evenly spaced among all that are left.
    """
    received, even = np.where(tokens, 0, window.received), np.where(tokens, 0, window.even)
    kept, random = (_without(pairs, tokens) for pairs in (window.pairs, window.structureless))
    return replace(window, pairs=kept, structureless=random, received=received, even=even)


@dataclass(frozen=True, eq=False)
class _Part:
    """What is taken out at once: some tokens of a window, by its number, or all of it."""

    window: int
    tokens: np.ndarray | None


def _parts(windows: Sequence[Window]) -> list[_Part]:
    """At least so many parts as `BLOCKS` of a few windows: runs of tokens of like length."""
    return list(_runs(windows, -(-BLOCKS // len(windows))))


def _runs(windows: Sequence[Window], blocks: int) -> Iterator[_Part]:
    for at, window in enumerate(windows):
        place = np.arange(len(window.pairs.passage))
        eligible, special = window.pairs.eligible, window.pairs.passage.is_special
        for run in np.array_split(
            np.flatnonzero(eligible & ~special), blocks
        ):  # special tokens are no sample of a text
            if len(run) and eligible.sum() - len(run) >= 2:
                yield _Part(at, np.isin(place, run))


def jackknifed(values: np.ndarray, widen: float) -> tuple[float, float]:
    """The interval of values[0] by those without one part each, values[1:]."""
    parts = len(values) - 1
    if parts < LEAST or np.isnan(values).any():
        return np.nan, np.nan
    error = widen * np.sqrt((parts - 1) / parts * ((values[1:] - values[1:].mean()) ** 2).sum())
    low, high = around(values[0], error, parts)
    return float(low), float(high)


def _noise_by_text(by_window: Sequence[np.ndarray], sizes: Sequence[int]) -> np.ndarray:
    """The noise of a text against each of the unrelated texts, (texts,). sizes: strong pairs a head of each window."""
    rates = np.average(by_window, axis=0, weights=np.array(sizes, dtype=float))
    return np.median(rates, axis=-1).mean(axis=-1)


def _against_texts(each: np.ndarray, value: float) -> tuple[str, float, float, float, float, int, str]:
    """The noise of a text, with its interval over the texts that it is held against: that of its logarithm."""
    low = high = np.nan
    if len(each) >= LEAST:
        spread = max(np.log(np.maximum(each, LEAST_NOISE)).std(ddof=1), LEAST_SPREAD)
        low, high = np.exp(around(np.log(max(value, LEAST_NOISE)), spread / np.sqrt(len(each)), len(each)))
    return "noise", value, float(min(low, value)), float(high), _BY_CHANCE["noise"], len(each), "unrelated texts"


def _without(pairs: StrongPairs, tokens: np.ndarray) -> StrongPairs:
    strong, of_pairs = pairs.shape[2], (pairs.first, pairs.second, pairs.similarity)
    first, second, similarity = taken = tuple(np.empty_like(values) for values in of_pairs)
    none = np.zeros(pairs.shape[:2], dtype=bool)
    for layer in range(len(none)):  # one by one: of a long window the places of all pairs would take gigabytes
        remain = ~(tokens[pairs.first[layer]] | tokens[pairs.second[layer]])
        pick, none[layer] = again(remain), ~remain.any(axis=1)
        for new, values in zip(taken, of_pairs, strict=True):
            values[layer].take(pick, out=new[layer], mode="clip")
    left = replace(pairs, eligible=pairs.eligible & ~tokens, first=first, second=second, similarity=similarity)
    if none.any():
        spaced = np.arange(strong) * len(left.all_pairs[0]) // strong
        first[none], second[none] = (ends[spaced] for ends in left.all_pairs)
    return left


def again(remain: np.ndarray) -> np.ndarray:
    """Which of all pairs, counted through the heads, remain: head by head, as often as it takes to fill the row, (H, K).

    remain: (H, K) bool. Any in a row of which none remains.
    """
    numbers, at = remain.sum(axis=1, keepdims=True), np.arange(remain.shape[1])
    begin = np.cumsum(numbers)[:, None] - numbers
    turn = (at / np.maximum(numbers, 1)).astype(np.int64)  # exact, and faster than a remainder of whole numbers
    places = np.append(np.flatnonzero(remain), 0)
    return places.take(begin + at - turn * numbers, mode="clip")
