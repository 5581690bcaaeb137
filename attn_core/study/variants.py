"""The settings that the paper leaves open, and measures of ours: 45 variants of a layout. Which ones is our choice."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import pandas as pd

from attn_core.similarity.strong_pairs import MEASURES, Measure, Settings
from attn_core.similarity.words import Unit
from attn_core.texts.passages import LAYOUTS, Layout

SHARES = (0.001, 0.003, 0.01, 0.03, 0.1)
PAIRABLE: tuple[tuple[Unit, bool], ...] = (("tokens", True), ("tokens", False), ("words", True))  # special or none
PAPERS: Measure = "dot"  # the measure that the paper fixes; the others are our extension
DIMENSIONS = ("measure", "share", "special", "unit", "layout")
OF_ATTENTION = ("separators", "separator_trend")  # effects that no choice of pairs can move


@dataclass(frozen=True)
class Variant(Settings):
    """What decides the strong pairs of a window, and what they are of."""

    unit: Unit = "tokens"


VARIANTS = tuple(
    Variant(measure, share, special, unit) for (unit, special), measure, share in product(PAIRABLE, MEASURES, SHARES)
)


def layouts_of(layout: Layout) -> tuple[Layout, ...]:
    """The layouts in which a subject is read under every setting, its own first; a shuffled text has one."""
    return tuple(dict.fromkeys((layout, *LAYOUTS))) if layout in LAYOUTS else (layout,)


def moved_by(effect: str) -> tuple[str, ...]:
    """The settings that can move an effect, of `DIMENSIONS`; of two variants that differ in others only one counts."""
    return ("unit", "layout") if effect in OF_ATTENTION else DIMENSIONS


def as_columns(variant: Variant, layout: Layout) -> Mapping[str, object]:
    """A variant as columns: measure, share, special (in, out; empty for words), unit, layout."""
    special = "" if variant.unit == "words" else "in" if variant.with_special else "out"
    return {
        "measure": variant.measure,
        "share": variant.share,
        "special": special,
        "unit": variant.unit,
        "layout": layout,
    }


def distinct(rows: pd.DataFrame, effect: str) -> pd.DataFrame:
    """The rows of an effect in a claims table, each variant of the settings that can move it once."""
    return rows[rows["effect"] == effect].drop_duplicates(["subject", "step", *moved_by(effect)])
