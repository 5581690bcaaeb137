"""The effect that each claim of the paper comes down to, in two subjects at once, so that they can be held against each other.

Studies of one corpus draw the same texts in every replicate of an effect, so that what a text does to both cancels; of
different corpora they are drawn apart. A difference counts where it is half of what lies between the bars of the claim's
verdict. Bars and rule are our choice.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attn_core.analysis import Analysis
from attn_core.bootstrap import apart, effective, interval
from attn_core.comparison.paired import texts_of_both
from attn_core.found import Found
from attn_core.measures.count import Tally
from attn_core.measures.roles import information, stands_out
from attn_core.measures.statistics import BY_NAME
from attn_core.study.counts import read_tally, text_sizes
from attn_core.study.opened import Study


@dataclass(frozen=True, eq=False)
class Effect:
    """One number that a claim comes down to, in one subject. claim, topic: of the finding; a claim can have several.

    says: what the number is. values: (1 + draws,), the number and its replicates. sizes: (n,) of the texts that these draw,
    none where nothing was drawn. holds, fails: the bars of the verdict. percent: whether it is a share.
    """

    claim: str
    topic: str
    says: str
    holds: float
    fails: float
    percent: bool
    values: np.ndarray
    sizes: np.ndarray

    @property
    def value(self) -> float:
        return float(self.values[0])

    @property
    def sign(self) -> int:
        """1 where the claim says that the number is large, -1 where small."""
        return 1 if self.holds > self.fails else -1

    @property
    def margin(self) -> float:
        """The smallest difference that counts."""
        return abs(self.holds - self.fails) / 2

    def text(self, number: float) -> str:
        """A number of this kind, for a sentence."""
        return f"{_rounded(100 * number, 0)} %" if self.percent else _rounded(number, 2)

    def difference(self, number: float, low: float, high: float) -> str:
        """A difference of two, with its interval."""
        told = [_rounded(100 * one, 0) if self.percent else _rounded(one, 2) for one in (number, low, high)]
        interval = "" if np.isnan(low) else f" [{told[1]}, {told[2]}]"
        return f"{told[0]}{' points' if self.percent else ''}{interval}"


def effects_of_both(a: Found, b: Found) -> tuple[list[Effect], list[Effect], bool]:
    """The effects that both can be asked, in one order, and whether their replicates draw the same texts.

    Raises InputError where two studies of one corpus have no text in common.
    """
    own, theirs, paired = _counted(a), _counted(b), False
    if isinstance(a, Study) and isinstance(b, Study):
        *texts, paired = texts_of_both(a, b)
        draws, seed = a.manifest["settings"]["draws"], a.manifest["settings"]["seed"]
        own, theirs = (
            (read_tally(study.folder, draws, one, which), text_sizes(study.folder, which))
            for study, one, which in zip((a, b), (seed, seed if paired else seed + 1), texts, strict=True)
        )
    first, second = _effects(a, *own), _effects(b, *theirs)
    both = [says for says in first if says in second]
    return [first[says] for says in both], [second[says] for says in both], paired


def interval_between(first: Effect, second: Effect, paired: bool) -> tuple[float, float]:
    """The 95 % interval of the first minus the second; NaN where too few texts bear one."""
    if paired:
        low, high = interval(first.values - second.values, min(first.sizes, second.sizes, key=effective))
    else:
        low, high = apart(*((one.values[0], interval(one.values, one.sizes)) for one in (first, second)))
    return float(low), float(high)


@dataclass(frozen=True, eq=False)
class _Rows:
    """A tally by layer, in R rows: of all texts, and of every draw."""

    tally: Tally
    shape: tuple[int, int]
    pairs: int

    def heads(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """A statistic, (R, layer, head), and its chance level, (layer, head)."""
        statistic = BY_NAME[name]
        values = statistic.values(self.tally).reshape(-1, *self.shape)
        return values, np.broadcast_to(statistic.chance_level(self.tally), values[0].size).reshape(self.shape)

    def layers(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Mean over the heads of a layer, (R, layer) and (layer,)."""
        values, chance = self.heads(name)
        return values.mean(axis=-1), chance.mean(axis=-1)

    def stand_out(self, name: str) -> np.ndarray:
        """Share of the heads that beat chance clearly in a statistic, (R,)."""
        share, chance = self.heads(name)
        bits = information(share, np.broadcast_to(chance, share.shape))
        counts = stands_out(share - chance, bits, np.array(self.pairs))
        return counts.mean(axis=(1, 2))


Of = Callable[[_Rows], np.ndarray | None]


def _own_matrices(rows: _Rows) -> np.ndarray | None:
    return 1 - rows.tally.values("head_overlap").mean(axis=1) if rows.shape[1] > 1 else None


def _reach(rows: _Rows) -> np.ndarray | None:
    distance, _ = rows.layers("mean_distance")
    return distance[:, -1] / distance[:, 0] - 1 if rows.shape[0] > 1 else None


def _sentences(rows: _Rows) -> np.ndarray | None:
    share, chance = rows.layers("same_sentence_share")
    if rows.shape[0] == 1 or not (0 < chance[0] < 1):
        return None
    third = max(1, rows.shape[0] // 3)
    early, late = (share / chance)[:, :third].mean(axis=1), (share / chance)[:, -third:].mean(axis=1)
    return late / np.maximum(early, 1)


def _anchors(rows: _Rows) -> np.ndarray | None:
    distinct, chance = (found("anchor_uniqueness") for found in (rows.tally.values, rows.tally.chance))
    return (distinct - chance).mean(axis=1) if rows.shape[1] > 1 else None


def _separators(rows: _Rows) -> np.ndarray | None:
    weight, even = rows.layers("separator_attention")
    quarter = max(1, rows.shape[0] // 4)
    return (weight / even)[:, -quarter:].mean(axis=1) if (even > 0).all() else None


def _noise(rows: _Rows) -> np.ndarray | None:
    return rows.layers("noise_rate")[0].mean(axis=1)


EFFECTS: tuple[tuple[str, str, str, float, float, bool, Of], ...] = (
    ("C1", "Own matrices", "Strong pairs of one head only", 0.6, 0.4, True, _own_matrices),
    ("C2", "Reach", "Distance from first to last layer", -0.15, 0.05, True, _reach),
    ("C3", "Sentences", "Same sentence in late layers, times the first", 1.25, 0.8, False, _sentences),
    ("C4", "Roles", "Heads of repetitions", 0.05, -0.05, True, lambda rows: rows.stand_out("repetition_share")),
    ("C5", "Anchors", "Distinct anchors above chance", 0.05, -0.05, True, _anchors),
    ("C6", "Separators", "Times even attention", 2.0, 0.8, False, _separators),
    ("C7", "Noise", "Noise rate", 0.2, 0.02, False, _noise),
)


def _rounded(number: float, digits: int) -> str:
    """Without the sign that a small negative number keeps."""
    return f"{round(number, digits) + 0.0:.{digits}f}"


def _effects(found: Found, tally: Tally, sizes: np.ndarray) -> dict[str, Effect]:
    rows = _Rows(tally, found.shape, int(found.statistics["pairs"].iloc[0]))
    values = {says: of(rows) for _, _, says, *_, of in EFFECTS}
    return {
        says: Effect(claim, topic, says, holds, fails, percent, known, sizes)
        for claim, topic, says, holds, fails, percent, _ in EFFECTS
        if (known := values[says]) is not None and np.isfinite(known[0])
    }


def _counted(found: Found) -> tuple[Tally, np.ndarray]:
    """What was counted once, without replicates."""
    assert isinstance(found, Analysis | Study), "what is compared was read or opened"
    return found.counted.tally if isinstance(found, Analysis) else read_tally(found.folder, 0, 0), np.empty(0)
