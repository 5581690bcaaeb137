"""The findings as a table: what the dashboard says in sentences, with the numbers that decide."""

from collections.abc import Mapping, Sequence

import pandas as pd

from attn_core.findings.bars import BARS, Effect
from attn_core.findings.verdicts import Finding

NUMBERS = ("value", "low", "high", "chance", "units", "over")  # of an effect
COLUMNS = (
    "claim", "claimed", "topic", "verdict", "unclear", "effect", "value", "low", "high", "chance", "units", "over", "sentence",
    "firm",
)  # fmt: skip


def findings_table(found: Sequence[Finding], firm: Mapping[str, str]) -> pd.DataFrame:
    """One row a finding, without numbers where it is not asked.

    Columns: claim (C1 to C7) and claimed, what the abstract says; topic, verdict, unclear: the kind of no clear sign; effect,
    its value, low and high (95 % interval) over so many units, chance; the sentence; firm: which choices turn the verdict.
    firm: by effect, as far as it is known.
    """
    rows = []
    for finding in found:
        row = {
            "claim": finding.claim, "claimed": finding.bars.abstract, "topic": finding.topic, "verdict": finding.verdict,
            "unclear": finding.unclear, "sentence": finding.sentence, "firm": firm.get(finding.row, ""),
        }  # fmt: skip
        if finding.effect:
            row |= {name: getattr(finding.effect, name) for name in NUMBERS}
            row["effect"] = finding.bars.words
        rows.append(row)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def findings_in(table: pd.DataFrame) -> list[Finding]:
    """The findings of one subject from their table. table: topic, verdict, unclear, sentence and `NUMBERS`."""
    by_topic = {bars.topic: bars for bars in BARS}
    return [
        Finding(
            bars := by_topic[row["topic"]],
            row["sentence"],
            row["verdict"],
            row["unclear"],
            "",
            None if pd.isna(row["value"]) else Effect(bars, *(row[name] for name in NUMBERS)),
        )
        for row in table.to_dict("records")
    ]
