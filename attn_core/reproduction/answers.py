"""What one reading of a corpus says to each claim under each choice, with intervals, and how two readings differ.

Everything is as in a study: of two readings the same texts are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.comparison.differences import Numbers
from attn_core.findings.verdicts import Basis
from attn_core.measures.effects import Values, effect_values, effects_over_texts, reference_error
from attn_core.measures.tally import Tally
from attn_core.numerics.leave_one_out import GROUPS, interval, sizes, times
from attn_core.reproduction.choices import CHOICES, WindowChoice
from attn_core.reproduction.sums import add
from attn_core.study.opened import numbers, shard_tables
from attn_core.study.shard_tables import Shape


@dataclass(frozen=True, eq=False)
class OfTexts:
    """Over the texts, or groups of them, which is told by `over`.

    texts: (n,), their numbers. units: how many they are, or their groups. sizes: (GROUPS,), strong pairs of their groups.
    values, chance: by effect, over all texts and without each group. reference_error: as of that function of `effects`.
    """

    texts: np.ndarray
    units: int
    sizes: np.ndarray
    values: Values
    chance: Values
    basis: Basis
    reference_error: float
    over: str = "texts"

    @property
    def effects(self) -> pd.DataFrame:
        return effects_over_texts(self.values, self.chance, self.sizes, self.units, self.over, self.reference_error)


def answers(reading: Path, shape: Shape) -> dict[WindowChoice, OfTexts]:
    """By choice, of a reading's folder; without those that no text answers. shape: (layers, heads a layer) of the model."""
    kept, few, short = _that_count(list(shard_tables(reading, "sums")))
    grouped = any(not table["group"].equals(table["text"]) for table in kept)
    over = "groups" if grouped else "texts"
    sums = {choice: _Sums(shape, over, choice in few, int(short[choice])) for choice in range(len(CHOICES))}
    for table in kept:
        for choice, of_choice in sums.items():
            of_choice.add(table.filter(pc.equal(table["choice"], choice)))
    return {CHOICES[choice]: of_choice.answer for choice, of_choice in sums.items() if of_choice.texts}


def _that_count(tables: Sequence[pa.Table]) -> tuple[list[pa.Table], set[int], np.ndarray]:
    """The rows of texts that have a window with enough strong pairs, or of all texts under choices that give none such a window;
    those choices; and how many windows are left out, by choice.
    """
    choice, is_few, windows, short = (
        np.concatenate([numbers(table[name]) for table in tables]) if tables else np.zeros(0, dtype=int)
        for name in ("choice", "few", "windows", "short_windows")
    )
    few = set(choice.tolist()) - set(choice[is_few == 0].tolist())
    left_out = np.where(is_few & ~np.isin(choice, list(few)), windows, short)
    rows = (
        table.filter(pa.array((numbers(table["few"]) == 0) | np.isin(numbers(table["choice"]), list(few))))
        for table in tables
    )
    return list(rows), few, np.bincount(choice, weights=left_out, minlength=len(CHOICES))


def differences(one: OfTexts, other: OfTexts) -> Numbers:
    """Of every effect: both numbers, and the bounds of their difference. None where the two counted other texts."""
    if not np.array_equal(one.texts, other.texts):
        return {}
    numbers_of: Numbers = {}
    for name, own in one.values.items():
        theirs = other.values[name]
        low, high = interval(own - theirs, one.sizes)
        numbers_of[name] = float(own[0]), float(theirs[0]), float(low), float(high)
    return numbers_of


class _Sums:
    """The texts of one choice, shard by shard."""

    def __init__(self, shape: Shape, over: str, few: bool, short: int) -> None:
        """few, short: as of `Basis`."""
        self._shape, self._over, self._few, self._short = shape, over, few, short
        self._tally = Tally(GROUPS)
        self._sizes = np.zeros(GROUPS)
        self._groups: list[np.ndarray] = []
        self.texts: list[np.ndarray] = []

    def add(self, sums: pa.Table) -> None:
        if not len(sums):
            return
        groups = numbers(sums["group"])
        add(self._tally, sums, times(groups))
        self.texts.append(numbers(sums["text"]))
        self._groups.append(groups)
        self._sizes += sizes(groups, numbers(sums["strong"]))

    @property
    def answer(self) -> OfTexts:
        values, chance = effect_values(self._tally, self._shape)
        inside = float(self._tally.chance("same_sentence_share")[0])
        separators = bool(np.all(self._tally.chance("separator_attention") > 0))
        basis = Basis(*self._shape, self._few, self._short, inside, separators)
        error = reference_error(self._tally, self._shape)
        units = len(np.unique(np.concatenate(self._groups)))
        return OfTexts(np.concatenate(self.texts), units, self._sizes, values, chance, basis, error, self._over)
