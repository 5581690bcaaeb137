"""How firm is a verdict? The findings again under the other sensible settings, from the same head outputs.

Sensible are the three measures, the strongest 0.3, 1 and 3 % of the pairs, and special tokens in or out: our choice, since
the paper settles none of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from attn_core.analysis import Reading, analyze_reading
from attn_core.counted_tables import Judged
from attn_core.errors import TextError
from attn_core.effects import effects_of_windows
from attn_core.findings import findings
from attn_core.verdicts import Verdict
from attn_core.measures.counted import add_up, count_window
from attn_core.strong_pairs import MEASURES, Settings, Unit

SHARES = (0.003, 0.01, 0.03)
Verdicts = Mapping[str, Verdict]  # by claim; none under settings that leave no pair


@dataclass
class SoFar:
    """The verdicts that were found so far, by settings, or why none can be."""

    found: dict[Settings, Verdicts] = field(default_factory=dict)
    problem: str = ""


def sensible(unit: Unit = "tokens") -> list[Settings]:
    """The settings that a verdict is held against; words know no special tokens."""
    with_special = (True, False) if unit == "tokens" else (True,)
    return [Settings(*chosen, unit) for chosen in product(MEASURES, SHARES, with_special)]


def verdicts(readings: Sequence[Reading], settings: Settings) -> Verdicts:
    """The verdict on every claim under some settings, the windows of all readings pooled."""
    try:
        windows = [window for reading in readings for window in analyze_reading(reading, settings).measured]
    except TextError:
        return {}
    found = Judged(add_up(map(count_window, windows)), settings.unit, effects_of_windows(windows))
    return {finding.claim: finding.verdict for finding in findings(found)}


def stays(claim: str, verdict: Verdict, found: Mapping[Settings, Verdicts], chosen: Settings) -> tuple[int, int]:
    """Under how many of the other settings a verdict stays, and how many others there are."""
    others = [told[claim] for settings, told in found.items() if settings != chosen and claim in told]
    return others.count(verdict), len(others)
