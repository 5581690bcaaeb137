"""What the paper leaves open, and the measures of ours: 45 choices of a window, 90 with both layouts; which ones is our choice.

A reading is what one forward pass a window gives: a model, or a twin of it, in a layout; or the shuffled text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd

from attn_core.findings.bars import BY_EFFECT
from attn_core.findings.verdicts import CLAIMS
from attn_core.models.controls import Control
from attn_core.models.files import TWINS, Twin
from attn_core.similarity.strong_pairs import MEASURES, Measure, Settings
from attn_core.similarity.words import Unit
from attn_core.texts.passages import LAYOUTS, Layout

SHARES = (0.001, 0.003, 0.01, 0.03, 0.1)
BOTH_LAYOUTS = LAYOUTS  # plain, as the model was trained, and separated, with a separator after every sentence
SHUFFLED: Layout = "shuffled"  # its tokens lie as in the plain layout, and it has no sentences to separate
PAIRABLE: tuple[tuple[Unit, bool], ...] = (("tokens", True), ("tokens", False), ("words", True))  # special or none


@dataclass(frozen=True)
class WindowChoice(Settings):
    """What decides the strong pairs of a window, and what they are of."""

    unit: Unit = "tokens"


CHOICES = tuple(
    WindowChoice(measure, share, special, unit)
    for (unit, special), measure, share in product(PAIRABLE, MEASURES, SHARES)
)
PAPERS: Measure = "dot"  # the measure that the paper fixes; the others are our extension
DIMENSIONS = ("measure", "share", "special", "unit", "layout")
# By claim, the choices that can move it; of two combinations that differ in others only one counts.
MOVES: Mapping[str, tuple[str, ...]] = dict.fromkeys(CLAIMS, DIMENSIONS) | {"C6": ("unit", "layout")}
NOT_COUNTED = "not counted"  # in place of a verdict that is not there
# What choices come to as factors of a curve, by the column that says what each explains: those that it is made of. Pairs have
# one of three levels, tokens with special ones or without, and words.
FACTORS = {"by_share": ["share"], "by_pairs": ["unit", "special"], "by_layout": ["layout"], "by_measure": ["measure"]}
SUBJECT = ["corpus", "model", "control", "seed"]


@dataclass(frozen=True)
class Read:
    """One way to read a corpus with a model: under a control or none, in a layout. seed: of a twin."""

    control: Control | None
    layout: Layout
    seed: int | None = None

    @property
    def name(self) -> str:
        """As a folder is called."""
        return "-".join([self.control or "model", *([] if self.seed is None else [str(self.seed)]), self.layout])

    @property
    def twin(self) -> tuple[Twin, int] | None:
        """Which twin of the model reads."""
        return next(((kind, self.seed) for kind in TWINS if kind == self.control and self.seed is not None), None)

    @property
    def shown_layout(self) -> Layout:
        """The layout in which the tokens lie."""
        return "plain" if self.layout == SHUFFLED else self.layout


def readings(controls: Sequence[Control], twins: int) -> list[Read]:
    """The model itself first, then its controls; twins: how many of each kind, each with weights of its own seed."""
    wanted = [Read(None, layout) for layout in BOTH_LAYOUTS]
    if "shuffled" in controls:
        wanted.append(Read("shuffled", SHUFFLED))
    kinds = [kind for kind in TWINS if kind in controls]
    return wanted + [Read(kind, layout, seed) for kind in kinds for seed in range(twins) for layout in BOTH_LAYOUTS]


def as_columns(settings: WindowChoice, layout: Layout) -> dict[str, object]:
    """A combination as columns: measure, share, special (in, out; empty for words), unit, layout."""
    special = "" if settings.unit == "words" else "in" if settings.with_special else "out"
    return {
        "measure": settings.measure, "share": settings.share, "special": special, "unit": settings.unit, "layout": layout,
    }  # fmt: skip


def combinations(rows: pd.DataFrame, effect: str) -> pd.DataFrame:
    """The rows of an effect, each combination of the choices that can move it once."""
    return rows[rows["effect_name"] == effect].drop_duplicates([*SUBJECT, *MOVES[BY_EFFECT[effect].claim]])
