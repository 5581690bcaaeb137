"""What one reading of a corpus says to each claim under each choice, with intervals, and how two readings differ.

Everything is as in a study: the bootstrap draws texts, and two readings draw the same ones. p is of sign-flips of the texts'
own differences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from attn_core.comparison.differences import Numbers
from attn_core.findings.bars import BARS
from attn_core.findings.verdicts import Basis
from attn_core.measures.effects import Values, effect_values, effects_over_texts, reference_error
from attn_core.measures.tally import Tally
from attn_core.numerics.poisson_bootstrap import interval, weights
from attn_core.numerics.sign_flips import FEWEST, sign_flip_p
from attn_core.reproduction.choices import CHOICES, WindowChoice
from attn_core.reproduction.job import ReproductionSettings
from attn_core.reproduction.sums import OfText, add, of_groups, parts_by_name
from attn_core.study.opened import numbers, shard_tables
from attn_core.study.shard_tables import Shape

EFFECTS = tuple(bars.effect for bars in BARS)


@dataclass(frozen=True, eq=False)
class OfTexts:
    """Over the texts, or groups of them, which is told by `over`.

    texts, sizes: (n,), their numbers and strong pairs; values, chance: by effect, in every replicate; each: by effect, of every
    text alone, (n,); influence: by effect, how much each text moves what it is beyond chance, (n,). reference_error: as of that
    function of `effects`.
    """

    texts: np.ndarray
    sizes: np.ndarray
    values: Values
    chance: Values
    each: Values
    influence: Values
    basis: Basis
    reference_error: float
    over: str = "texts"

    @property
    def effects(self) -> pd.DataFrame:
        return effects_over_texts(self.values, self.chance, self.sizes, self.over, self.reference_error)


def answers(reading: Path, shape: Shape, settings: ReproductionSettings) -> dict[WindowChoice, OfTexts]:
    """By choice, of a reading's folder; without those that no text answers. shape: (layers, heads a layer) of the model."""
    kept, few, short = _that_count(list(shard_tables(reading, "sums")))
    grouped = any(not table["group"].equals(table["text"]) for table in kept)
    over = "groups" if grouped else "texts"
    sums = {choice: _Sums(shape, settings, over, choice in few, int(short[choice])) for choice in range(len(CHOICES))}
    if grouped:
        kept = [of_groups(pa.concat_tables(kept))]
    for step in (_Sums.add, _Sums.leave_out):  # what is left without a text is known when all are added
        for table in kept:
            for choice, of_choice in sums.items():
                step(of_choice, table.filter(pc.equal(table["choice"], choice)))
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


def p_of_differences(one: OfTexts, other: OfTexts, settings: ReproductionSettings) -> Mapping[str, float]:
    """p of every effect, by sign-flips over the texts; none of so few that no p could lie below 0.05."""
    if not np.array_equal(one.texts, other.texts) or len(one.texts) < FEWEST:
        return {}
    by_text = np.stack([one.each[name] - other.each[name] for name in EFFECTS], axis=1)
    return dict(zip(EFFECTS, sign_flip_p(by_text, settings.flips, settings.seed).tolist(), strict=True))


class _Sums:
    """The texts of one choice, shard by shard."""

    def __init__(self, shape: Shape, settings: ReproductionSettings, over: str, few: bool, short: int) -> None:
        """few, short: as of `Basis`."""
        self._shape, self._settings, self._over, self._few, self._short = shape, settings, over, few, short
        self._tally = Tally(settings.draws)
        self.texts: list[np.ndarray] = []
        self._sizes: list[np.ndarray] = []
        self._each: list[Values] = []
        self._totals: dict[str, OfText] = {}
        self._without: list[Values] = []  # by effect, what is beyond chance without each text

    def add(self, sums: pa.Table) -> None:
        if not len(sums):
            return
        texts = numbers(sums["text"])
        add(self._tally, sums, weights(texts, self._settings.draws, self._settings.seed))
        one_by_one = Tally(len(texts) - 1)
        add(one_by_one, sums, np.eye(len(texts)))
        self.texts.append(texts)
        self._sizes.append(numbers(sums["strong"]))
        self._each.append(effect_values(one_by_one, self._shape)[0])
        for name, parts in parts_by_name(sums):
            before = self._totals.get(name, (0, 0, 0))
            numerators, chances, weight = (
                part.sum(axis=0, keepdims=True) + sofar for part, sofar in zip(parts, before, strict=True)
            )
            self._totals[name] = numerators, chances, weight

    def leave_out(self, sums: pa.Table) -> None:
        """The same texts again, one after another left out of all that were added."""
        if not len(sums):
            return
        without = Tally(len(sums) - 1)
        for name, total in self._totals.items():
            without.add(name, *total, np.ones((len(sums), 1)))
        add(without, sums, -np.eye(len(sums)))
        values, chance = effect_values(without, self._shape)
        self._without.append({name: values[name] - chance[name] for name in values})

    @property
    def answer(self) -> OfTexts:
        values, chance = effect_values(self._tally, self._shape)
        each, without = (
            {name: np.concatenate([some[name] for some in parts]) for name in values}
            for parts in (self._each, self._without)
        )
        inside = float(self._tally.chance("same_sentence_share")[0])
        separators = bool(np.all(self._tally.chance("separator_attention") > 0))
        sizes = np.concatenate(self._sizes)
        others = np.count_nonzero(sizes) - 1
        influence = {name: others * (values[name][0] - chance[name][0] - without[name]) for name in values}
        basis = Basis(*self._shape, self._few, self._short, inside, separators)
        error = reference_error(self._tally, self._shape)
        return OfTexts(np.concatenate(self.texts), sizes, values, chance, each, influence, basis, error, self._over)
