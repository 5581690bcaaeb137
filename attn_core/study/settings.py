"""The settings of a study, the 45 variants of them that the paper leaves open, and the job of a worker."""

import ast
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.claims.claim import BY_EFFECT as CLAIMS
from attn_core.errors import InputError, check_choice, check_integer, check_type
from attn_core.measures.statistics import BY_NAME as STATISTICS
from attn_core.patterns.rules import BY_NAME
from attn_core.runs.job import ModelJob, Piece
from attn_core.similarity.strong_pairs import MEASURES, Measure, Settings
from attn_core.similarity.words import UNITS, Unit
from attn_core.texts.languages import AUTO, checked_language
from attn_core.texts.passages import LAYOUTS, Layout

SHARES = (0.001, 0.003, 0.01, 0.03, 0.1)
PAIRABLE: tuple[tuple[Unit, bool], ...] = (("tokens", True), ("tokens", False), ("words", True))  # with special tokens
PAPERS: Measure = "dot"  # the measure of the paper; the others are our extension
DEFINING = ("similarity", "measures", "patterns", "claims")  # packages whose code defines what is counted
DIMENSIONS = ("measure", "share", "special", "unit", "layout")


@dataclass(frozen=True)
class Variant(Settings):
    """The settings of strong pairs and their unit."""

    unit: Unit = "tokens"


VARIANTS = tuple(
    Variant(measure, share, special, unit) for (unit, special), measure, share in product(PAIRABLE, MEASURES, SHARES)
)


@dataclass(frozen=True)
class StudySettings:
    """The settings of an analysis, and settings of a study alone.

    >>> attn_core.StudySettings(every_setting=True).analysis.share
    0.01

    Attributes
    ----------
    analysis: what decides the strong pairs.
    language: of the texts, such as "en"; "auto" detects that of each.
    unit: the unit of pairs, "tokens" or "words".
    every_setting: also the claims under every setting of `VARIANTS`.
    entropy: also entropy and cross-entropy of every layer.
    stable_roles: also the stable roles in each text.
    sources: also the source of each head in each text, by scalar product or cosine.
    rules: of `patterns.rules`, such as "same_word", for the table `relations`; annotated texts have relations anyway.
    windows: the largest number of windows of a text; None for all.
    min_tokens: a shorter text is listed as too short (our choice), unless it is annotated.
    shard_characters: about how much text is counted, and can be lost, at once.
    batch_tokens: of a forward pass with padding, fixed because another batching changes sums in their last digit.

    Raises InputError for an invalid value.
    """

    analysis: Settings = Settings()
    language: str = AUTO
    unit: Unit = "tokens"
    every_setting: bool = False
    entropy: bool = False
    stable_roles: bool = False
    sources: bool = False
    rules: tuple[str, ...] = ()
    windows: int | None = None
    min_tokens: int = 16
    shard_characters: int = 128_000
    batch_tokens: int = 2048

    def __post_init__(self) -> None:
        check_type(self.analysis, Settings, "What decides the strong pairs")
        check_choice(self.unit, UNITS, "A unit")
        check_type(self.every_setting, bool, "Whether every setting is counted")
        check_type(self.entropy, bool, "Whether entropy is counted")
        check_type(self.stable_roles, bool, "Whether stable roles are counted")
        check_type(self.sources, bool, "Whether sources are counted")
        if self.sources and self.analysis.measure == "centred":
            raise InputError("Sources are counted by the scalar product or the cosine: choose one as the measure.")
        for rule in self.rules:
            if rule not in BY_NAME:
                raise InputError(f"There is no rule {rule[:80]!r}: choose from {', '.join(BY_NAME)}.")
        if self.windows is not None:
            check_integer(self.windows, 1, "The number of windows of a text")
        checked_language(self.language, "")
        check_integer(self.min_tokens, 0, "The least number of tokens of a text")
        check_integer(self.shard_characters, 1, "The number of characters of a shard")
        check_integer(self.batch_tokens, 1, "The number of tokens of a forward pass")

    def by_name(self) -> dict[str, Any]:
        """Every setting by name, as in manifests and provenances."""
        chosen = asdict(self)
        return {**chosen.pop("analysis"), **chosen, "rules": list(self.rules)}


DEFAULT = StudySettings()


def definitions() -> dict[str, str]:
    """What a study counts: every statistic and effect with its definition, and a digest of the code of each package."""
    statistics = {name: f"{one.question} Chance: {one.by_chance}" for name, one in STATISTICS.items()}
    effects = {name: f"{one.description}; {one.rule}, margin {one.margin}" for name, one in CLAIMS.items()}
    return {**statistics, **effects, **{f"code of {name}": _digest(name) for name in DEFINING}}


@cache
def _digest(package: str) -> str:
    """SHA-256 of the code of a package, whatever its comments and line ends."""
    files = sorted((Path(__file__).parents[1] / package).rglob("*.py"))
    return sha256("".join(ast.dump(ast.parse(file.read_bytes())) for file in files).encode()).hexdigest()


@dataclass(frozen=True)
class Job(ModelJob):
    """A shard of texts to count in a layout.

    seed: of the order of tokens in the layout "shuffled". in_full: count every table, not only the claims under every
    setting. with_examples: keep example pairs.
    """

    settings: StudySettings
    layout: Layout = "plain"
    seed: int = 0
    in_full: bool = True
    with_examples: bool = True

    def has_relations(self, piece: Piece) -> bool:
        """Whether the relations of a text are counted; those of shuffled text are not."""
        return self.in_full and self.layout != "shuffled" and bool(self.settings.rules or piece.annotated)


def layouts_of(layout: Layout, every_setting: bool) -> tuple[Layout, ...]:
    """The layouts in which a subject is counted: its own, and under every setting the others but for shuffled text."""
    return tuple(dict.fromkeys((layout, *LAYOUTS))) if every_setting and layout in LAYOUTS else (layout,)


def moved_by(effect: str) -> tuple[str, ...]:
    """The settings among `DIMENSIONS` on which an effect depends."""
    return DIMENSIONS if CLAIMS[effect].of_pairs else ("unit", "layout")


def as_columns(variant: Variant, layout: Layout) -> Mapping[str, object]:
    """The columns of a variant: measure, share, special (in, out; empty for words), unit, layout."""
    special = "" if variant.unit == "words" else "in" if variant.with_special else "out"
    return {
        "measure": variant.measure,
        "share": variant.share,
        "special": special,
        "unit": variant.unit,
        "layout": layout,
    }


def distinct(rows: pd.DataFrame, effect: str) -> pd.DataFrame:
    """The rows of an effect in a claims table, one for each combination of the settings on which it depends."""
    return rows[rows["effect"] == effect].drop_duplicates(["subject", "step", *moved_by(effect)])
