"""How firm is a verdict? The findings again under other sensible settings, from the same head outputs.

One choice is changed at a time: the measure, the share of pairs that are strong, special tokens in or out, tokens or words.
The paper settles the measure alone, the scalar product. A choice that cannot move a claim says nothing of it and is left out:
attention to separators knows no pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from attn_core.analysis.one_text import analyze_reading
from attn_core.analysis.reading import Reading, provenance
from attn_core.analysis.statistics_tables import Judged
from attn_core.errors import TextError
from attn_core.findings.bars import BY_EFFECT, Verdict
from attn_core.findings.verdicts import CLAIMS, findings
from attn_core.measures.jackknife import counted_in_parts, effects_of_parts
from attn_core.similarity.strong_pairs import MEASURES, UNITS, Settings

SHARES = (0.003, 0.01, 0.03)
Dimension = Literal["measure", "share", "special", "unit"]
DIMENSIONS: tuple[Dimension, ...] = ("measure", "share", "special", "unit")
CHOICES: Mapping[Dimension, str] = {
    "measure": "measure", "share": "share of strong pairs", "special": "special tokens", "unit": "unit"
}  # fmt: skip
MOVED_BY: Mapping[str, tuple[Dimension, ...]] = dict.fromkeys(CLAIMS, DIMENSIONS) | {"C6": ("unit",)}
Verdicts = Mapping[str, Verdict]  # by effect; none under settings that leave no pair


@dataclass
class SoFar:
    """The verdicts that were found so far, by settings, or why none can be."""

    verdicts: dict[Settings, Verdicts] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Tried:
    """What one choice does to a verdict: the settings under which it stays, and those under which it is another."""

    dimension: Dimension
    stays: tuple[Settings, ...]
    turns: tuple[tuple[Settings, Verdict], ...]


def others(chosen: Settings) -> dict[Dimension, tuple[Settings, ...]]:
    """The settings that differ in one choice alone, by that choice; words know no special tokens."""
    return {
        "measure": tuple(replace(chosen, measure=measure) for measure in MEASURES if measure != chosen.measure),
        "share": tuple(replace(chosen, share=share) for share in SHARES if share != chosen.share),
        "special": (replace(chosen, with_special=not chosen.with_special),) if chosen.unit == "tokens" else (),
        "unit": tuple(replace(chosen, unit=unit) for unit in UNITS if unit != chosen.unit),
    }


def sensible(chosen: Settings) -> list[Settings]:
    """The settings that the chosen ones are held against, themselves first."""
    return [chosen, *(settings for group in others(chosen).values() for settings in group)]


def verdicts(readings: Sequence[Reading], settings: Settings) -> Verdicts:
    """The verdict on every row under some settings, the windows of all readings pooled."""
    try:
        windows = [window for reading in readings for window in analyze_reading(reading, settings).measured]
    except TextError:
        return {}
    counted, parts = counted_in_parts(windows)
    judged = Judged(
        counted, settings.unit, effects_of_parts(parts.without_each_part()), provenance(readings[0], settings)
    )
    return {finding.row: finding.verdict for finding in findings(judged)}


def tried(row: str, verdicts_by_settings: Mapping[Settings, Verdicts], chosen: Settings) -> list[Tried]:
    """What every choice that can move a row of a claim does to its verdict, as far as it is known."""
    own = verdicts_by_settings.get(chosen, {}).get(row)
    if own is None:
        return []
    told = []
    for dimension, settings in others(chosen).items():
        known = [(one, verdicts_by_settings[one][row]) for one in settings if row in verdicts_by_settings.get(one, {})]
        if known and dimension in MOVED_BY[BY_EFFECT[row].claim]:
            same = tuple(one for one, verdict in known if verdict == own)
            told.append(Tried(dimension, same, tuple((one, verdict) for one, verdict in known if verdict != own)))
    return told
