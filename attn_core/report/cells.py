"""Numbers as a report prints them: a statistic by its own unit, with its interval and its chance level."""

from collections.abc import Mapping, Sequence

import pandas as pd

from attn_core.charts.described import number
from attn_core.columns.dictionary import provenance_column
from attn_core.findings.verdicts import Finding
from attn_core.head import Head
from attn_core.io.paths import last_part
from attn_core.measures.anchors import shown_anchors
from attn_core.measures.repetition import shown_repetitions
from attn_core.measures.roles import ROLES
from attn_core.measures.statistics import BY_NAME, MAIN, Statistic
from attn_core.report.document import Table

UNSAID = ("program",)  # of the provenance, since every report says it
PATHS = ("source",)  # of which the last part alone is told: where a folder lies is nobody's business
WORDS = {"True": "yes", "False": "no"}


def bounded(row: pd.Series, statistic: Statistic) -> str:
    """A statistic of a row, with its interval where the row has one; a dash for what could not be told."""
    told = [statistic.exactly(row[name]) for name in (statistic.name, *statistic.bounds) if name in row.index]
    if pd.isna(row[statistic.name]):
        return "–"
    return told[0] if len(told) < 3 or pd.isna(row[statistic.bounds[0]]) else f"{told[0]} [{told[1]}, {told[2]}]"


def of_layers(layers: pd.DataFrame) -> Table:
    """The main statistics layer by layer, with intervals where there are some, chance in the last row."""
    shown = _known(layers)
    rows = [(f"{row['layer']:.0f}", *(bounded(row, one) for one in shown)) for _, row in layers.iterrows()]
    head = ("layer", *(one.axis_title for one in shown))
    return Table("Means over the heads of each layer", head, (*rows, ("by chance", *_chance(layers, shown))))


def of_heads(heads: pd.DataFrame) -> Table:
    """Every head with its role, its anchor, the tokens it repeats and the main statistics, chance in the last row."""
    shown = _known(heads)
    rows = [
        (
            str(Head.of_row(row["layer"], row["head"])),
            str(row["role"]),
            str(row["anchor"]),
            str(row["repeated_tokens"]),
            *("–" if pd.isna(row[one.name]) else one.exactly(row[one.name]) for one in shown),
        )
        for _, row in heads.assign(anchor=shown_anchors(heads), repeated_tokens=shown_repetitions(heads)).iterrows()
    ]
    head = ("head", "role", "anchor", "repeats", *(one.axis_title for one in shown))
    return Table("Every head", head, (*rows, ("by chance", "", "", "", *_chance(heads, shown))), words=4)


def _known(frame: pd.DataFrame) -> list[Statistic]:
    """The main statistics that there are numbers of."""
    return [one for name in MAIN if (one := BY_NAME[name]).name in frame and frame[one.name].notna().any()]


def _chance(frame: pd.DataFrame, shown: Sequence[Statistic]) -> list[str]:
    return [one.exactly(frame[one.chance].mean()) for one in shown]


def meanings(statistics: Sequence[str] = MAIN) -> tuple[str, ...]:
    """What statistics mean and what chance is, in Markdown."""
    return tuple(
        f"**{one.label}**: {one.question} Chance level: {one.by_chance}."
        for one in (BY_NAME[name] for name in statistics)
    )


def roles() -> str:
    """What the roles are, in Markdown."""
    told = "; ".join(f"*{role.name}*: its strong pairs {role.meaning}" for role in ROLES)
    return f"**Roles**: {told}; *mixed*: none of these."


def of_verdicts(found: Sequence[Finding]) -> Table:
    """A row of a claim a row: what the abstract says, the verdict, the number that decides, and chance."""
    rows = [
        {
            "claim": one.bars.name,
            "what the abstract says": one.bars.abstract,
            "verdict": one.label,
            "number [95% interval]": one.number or "–",
            "by chance": one.bars.number(one.effect.chance) if one.effect else "–",
        }
        for one in found
    ]
    return Table.of("The claims of the paper, and what becomes of them here", rows, words=None, folded=True)


def of_rules(found: Sequence[Finding]) -> Table:
    """The rule of each row with its numbers, folded."""
    rows = tuple((one.bars.name, one.effect.rule) for one in found if one.effect)
    return Table("The bars of the verdicts, with the numbers put in", ("claim", "rule"), rows, words=None, folded=True)


def of_provenance(provenance: Mapping[str, object]) -> Table:
    """Where the numbers come from, with what each field means."""
    rows = []
    for name, value in provenance.items():
        if name not in UNSAID:
            column = provenance_column(name)
            rows.append((name.replace("_", " "), _told(name, value), column.meaning if column else ""))
    return Table("Where the numbers come from", ("what", "here", "meaning"), tuple(rows), words=None)


def _told(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(str(one[0]) if isinstance(one, list | tuple) and one else str(one) for one in value)
    if name in PATHS:
        return last_part(value)
    if isinstance(value, float):
        return number(value)
    return WORDS.get(str(value), str(value))
