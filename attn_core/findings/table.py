"""The findings as a table: what the dashboard says in sentences, with the numbers that decide."""

from collections.abc import Mapping, Sequence

import pandas as pd

from attn_core.findings.verdicts import CLAIMS, Finding

COLUMNS = (
    "claim", "claimed", "topic", "verdict", "effect", "value", "low", "high", "chance", "units", "over", "sentence", "firm",
)  # fmt: skip


def findings_table(found: Sequence[Finding], firm: Mapping[str, str]) -> pd.DataFrame:
    """One row an effect of a finding, one without numbers where a claim is not asked.

    Columns: claim (C1 to C7) and claimed, its words; topic, verdict; effect in words, its value, low and high (95 % interval)
    over so many units, chance; the sentence; firm: which choices turn the verdict. firm: by claim, as far as it is known.
    """
    rows = []
    for finding in found:
        about = {
            "claim": finding.claim,
            "claimed": CLAIMS[finding.claim],
            "topic": finding.topic,
            "verdict": finding.verdict,
        }
        told = {"sentence": finding.sentence, "firm": firm.get(finding.claim, "")}
        for effect in finding.effects:
            numbers = {name: getattr(effect, name) for name in ("value", "low", "high", "chance", "units", "over")}
            rows.append(about | {"effect": effect.bars.words} | numbers | told)
        if not finding.effects:
            rows.append(about | told)
    return pd.DataFrame(rows, columns=list(COLUMNS))
