"""The effects of one text with their intervals: each part in turn is taken out, with the pairs that touch it.

The spread of what is left is the standard error (delete-block jackknife, Künsch 1989). The pages of a book differ otherwise
than the parts of one of them, so that each effect's error has a factor, found on windows of novels (`WIDEN`). The noise of one
text is held against several others, and its interval is over those.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attn_core.measures.effects import WIDEN, Values, effect_values, left_out, needed, possible, with_left_out
from attn_core.measures.noise import noise_count
from attn_core.measures.tally import Count, Tally
from attn_core.measures.window import Window
from attn_core.measures.window_counts import TotalCounts, WindowCounts, add_up, count_window
from attn_core.measures.without_blocks import counts_without
from attn_core.numerics.poisson_bootstrap import LEAST, around

BLOCKS = 8  # parts of a text of one window; our choice
# By what the noise against one text differs from that against another at least, as the standard deviation of its logarithm,
# ours: four texts that agree by luck would make it too sure. And the noise that is not told from none.
LEAST_SPREAD = 0.3
LEAST_NOISE = 0.01


@dataclass(frozen=True, eq=False)
class PartByPart:
    """Every effect of a text, and what it is without each of its parts.

    values, chance: by effect, (1 + parts,), row 0 the whole text. noise: (texts,), against each unrelated text. over: what
    the parts are. left_out: see `effects.left_out`.
    """

    values: Values
    chance: Values
    noise: np.ndarray
    over: str
    left_out: float = 0.0


def counted_in_parts(windows: Iterable[Window]) -> tuple[TotalCounts, "PartsOfText"]:
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
        self._counts.append(needed(counts))
        looked = window.noise.looked > 0
        rates = window.noise.reached[looked] / noise_count(window).chance[looked][:, None, None]  # type: ignore[index]
        self._rates.append(rates)
        self._sizes.append(strong)
        self._few = [*self._few, window] if len(self._counts) < BLOCKS else []

    def without_each_part(self) -> PartByPart:
        """Every effect of the whole, and of it without each of its parts."""
        windows = len(self._counts)
        parts = [_Part(at, np.array([])) for at in range(windows)]
        if self._few:  # at least `BLOCKS` runs of tokens of like length
            parts = list(_runs(self._few, -(-BLOCKS // len(self._few))))
        tally = Tally(len(parts))
        gone = np.array([-1, *(part.window for part in parts)])  # of the whole, none
        _add(tally, self._counts, (gone[:, None] != np.arange(windows)).astype(float))
        for at, window in enumerate(self._few):
            rows = [row for row, part in enumerate(parts, start=1) if part.window == at]
            counts = list(counts_without(window, [parts[row - 1].tokens for row in rows]))
            _add(tally, counts, np.eye(1 + len(parts))[:, rows])
        values, chance = effect_values(tally, self._shape)
        over = "windows" if windows > 1 and len(parts) == windows else "parts of the text"
        return PartByPart(values, chance, _noise_by_text(self._rates, self._sizes), over, left_out(tally))


def _add(tally: Tally, counts: Sequence[Mapping[str, Count]], times: np.ndarray) -> None:
    """Add counts of some windows, or of windows without a part, as often as `times` (row, window) says."""
    for name in counts[0] if counts else ():
        tally.add_each(name, [one[name] for one in counts], times)


def effects_of_parts(parts: PartByPart) -> pd.DataFrame:
    """The effects with their intervals: columns `effects.COLUMNS`."""
    rows = []
    for name, values in parts.values.items():
        if name == "noise":
            rows.append(_against_texts(parts.noise, values[0], parts.chance[name][0]))
        else:
            low, high = possible(name, *jackknifed(values, WIDEN[name]))
            rows.append((name, values[0], low, high, parts.chance[name][0], len(values) - 1, parts.over))
    return with_left_out(rows, parts.left_out)


@dataclass(frozen=True, eq=False)
class _Part:
    """What is taken out at once: some tokens of a window, by its number, or all of it."""

    window: int
    tokens: np.ndarray


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


def _against_texts(each: np.ndarray, value: float, chance: float) -> tuple[str, float, float, float, float, int, str]:
    """The noise of a text, with its interval over the texts that it is held against: that of its logarithm."""
    low = high = np.nan
    if len(each) >= LEAST:
        spread = max(np.log(np.maximum(each, LEAST_NOISE)).std(ddof=1), LEAST_SPREAD)
        low, high = np.exp(around(np.log(max(value, LEAST_NOISE)), spread / np.sqrt(len(each)), len(each)))
    return "noise", value, float(min(low, value)), float(high), chance, len(each), "unrelated texts"
