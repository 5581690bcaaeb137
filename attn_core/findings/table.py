"""The findings as tables: what the dashboard says in sentences, with the numbers that decide; and what the picture of the
claims is drawn from: a row an effect, with its bars, and what other networks and texts have of it.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from attn_core.findings.bars import BARS, Effect
from attn_core.findings.verdicts import Finding

NUMBERS = ("value", "low", "high", "chance", "units", "over")  # of an effect
COLUMNS = (
    "claim", "claimed", "topic", "verdict", "unclear", "effect", "value", "low", "high", "chance", "units", "over", "sentence",
)  # fmt: skip
# Every row in plain words, as short as a narrow picture holds.
IN_PLAIN_WORDS = {
    "own_pairs": "Each head pairs other tokens",
    "later_reach": "Strong pairs reach less far later",
    "reach": "They reach less far at the end",
    "late_sentences": "Late layers pair within a sentence",
    "sentences": "More so than early layers",
    "repeating": "Some heads pair repetitions",
    "gathering": "Some gather at a common token",
    "anchored": "Each head has an anchor token",
    "distinct": "Each head's anchor is its own",
    "separators": "Late layers attend to separators",
    "separator_trend": "More so than early layers",
    "noise": "Unrelated tokens are as alike",
}  # with the claim before them no two are alike
FIGURES = {"reach": -0.3}  # what a summary of the paper names; its abstract names no number
BESIDE = ("untrained", "permuted", "shuffled", "other")  # columns of what stands beside the effect
OF_CLAIMS = (
    "effect", "name", "claimed", "verdict", "unclear", "learned", "value", "low", "high", "chance", *BESIDE, "figure",
    "paper", "against", "paper_number", "against_number", "number", "by_chance", *(f"{one}_number" for one in BESIDE), "rule",
)  # fmt: skip


def findings_table(found: Sequence[Finding]) -> pd.DataFrame:
    """One row a finding, without numbers where it is not asked.

    Columns: claim (C1 to C7) and claimed, what the abstract says; topic, verdict, unclear: the kind of no clear sign; effect,
    its value, low and high (95 % interval) over so many units, chance; the sentence.
    """
    rows = []
    for finding in found:
        row = {
            "claim": finding.claim, "claimed": finding.bars.abstract, "topic": finding.topic, "verdict": finding.verdict,
            "unclear": finding.unclear, "sentence": finding.sentence,
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


def claims_table(
    found: Sequence[Finding],
    beside: Mapping[str, Mapping[str, float]] | None = None,
    learned: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """One row a finding; NaN and empty words where there is nothing to tell, columns `OF_CLAIMS`.

    beside: by a column of `BESIDE`, the effects of that network or text by name. learned: a word of learning by effect.
    """
    rows = []
    for one in found:
        bars = one.bars
        others = {name: values[one.row] for name, values in (beside or {}).items() if one.effect and one.row in values}
        row = {
            "effect": one.row, "name": bars.name, "claimed": f"{bars.claim} {IN_PLAIN_WORDS[one.row]}",
            "verdict": one.verdict, "unclear": one.unclear, "learned": (learned or {}).get(one.row, ""),
            "figure": FIGURES.get(one.row), "paper": bars.paper, "against": bars.against, "rule": bars.rule,
            "paper_number": bars.number(bars.paper), "against_number": bars.number(bars.against),
        }  # fmt: skip
        if one.effect:
            row |= {name: getattr(one.effect, name) for name in ("value", "low", "high", "chance", "number")}
            row |= {"by_chance": bars.number(one.effect.chance), **others}
            row |= {f"{name}_number": bars.number(value) for name, value in others.items()}
        rows.append(row)
    numbers = ["value", "low", "high", "chance", *BESIDE, "figure"]
    words = ["number", "by_chance", *(f"{one}_number" for one in BESIDE)]
    table = pd.DataFrame(rows, columns=list(OF_CLAIMS))
    types = dict.fromkeys(numbers, float) | dict.fromkeys(words, object)
    return table.astype(types).fillna(dict.fromkeys(words, ""))
