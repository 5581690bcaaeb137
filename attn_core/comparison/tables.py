"""A whole comparison as tables, as they are exported and as the command line prints them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from attn_core.analysis.one_text import Analysis
from attn_core.comparison.causes import causes, causes_table, claims_beside, few_twins, other_differences
from attn_core.comparison.match import HeadMatch, in_percent, match_heads
from attn_core.comparison.paired import PairedDifferences, paired_differences
from attn_core.comparison.subjects import (
    StudySubject,
    Subject,
    check_names,
    curves,
    difference_in_words,
    findings_table,
    layer_differences,
    verdict_rows,
)
from attn_core.errors import InputError
from attn_core.io.tables import markdown, table_files
from attn_core.measures.statistics import BY_NAME, MAIN
from attn_core.study.opened import Study

PRINTED = [BY_NAME[name] for name in MAIN]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two to eight subjects, the first of which the others are held against."""

    subjects: Sequence[Subject]

    def __post_init__(self) -> None:
        check_names([subject.name for subject in self.subjects])

    @property
    def match(self) -> dict[str, HeadMatch]:
        """Subject -> the match of the first one's heads with its own; only of texts, and of one and the same."""
        return {name: match for name, match in self._matched.items() if isinstance(match, HeadMatch)}

    @property
    def unmatched(self) -> dict[str, str]:
        """Subject -> why its heads cannot be matched."""
        return {name: str(error) for name, error in self._matched.items() if isinstance(error, InputError)}

    @cached_property
    def _matched(self) -> dict[str, HeadMatch | InputError]:
        a, matches = self.subjects[0].results, dict[str, HeadMatch | InputError]()
        for other in self.subjects[1:]:
            b = other.results
            if (
                not (isinstance(a, Analysis) and isinstance(b, Analysis))
                or a.reading.document.text != b.reading.document.text
            ):
                continue
            try:
                matches[other.name] = match_heads(a.reading, b.reading, (a.settings.measure, b.settings.measure))
            except InputError as error:
                matches[other.name] = error
        return matches

    @cached_property
    def paired(self) -> dict[str, PairedDifferences]:
        """Subject -> differences of the first study to it, with intervals."""
        first, *others = self.subjects
        return {
            other.name: paired_differences(first.results, other.results)
            for other in others
            if isinstance(first.results, Study) and isinstance(other.results, Study)
        }

    @property
    def studies(self) -> list[StudySubject]:
        """The subjects, where all of them are studies, which have verdicts; else none."""
        found = [StudySubject(one.name, one.results) for one in self.subjects if isinstance(one.results, Study)]
        return found if len(found) == len(self.subjects) else []

    @property
    def claims(self) -> pd.DataFrame:
        """The claims in the first study with the others beside it, see `claims_with`: what their picture is drawn from.

        Raises InputError where a subject is no study.
        """
        if not self.studies:
            raise InputError("The claims are asked of studies: compare the folders of studies.")
        return claims_beside(self.studies)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The first subject minus each other, layer by layer: subject, statistic, depth, first, second, difference, low, high."""
        first, *others = self.subjects
        parts = []
        for other in others:
            paired = self.paired.get(other.name)
            table = paired.layers if paired else layer_differences(first.results, other.results)
            parts.append(table.assign(subject=other.name))
        return pd.concat(parts, ignore_index=True)

    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name."""
        tables = {
            "subjects": pd.DataFrame([{"subject": s.name, **_in_cells(s.results.provenance)} for s in self.subjects]),
            "curves": curves(self.subjects),
            "differences": self.differences,
        }
        if self.studies:
            tables |= {"causes": causes_table(self.studies), "findings": findings_table(self.studies)}
        for name, table in (("best_matches", HeadMatch.table), ("head_match", HeadMatch.matrix)):
            if self.match:
                tables[name] = pd.concat(
                    [table(match).assign(subject=subject) for subject, match in self.match.items()], ignore_index=True
                )
        return tables

    @property
    def provenance(self) -> Mapping[str, Any]:
        """What it takes to make the same numbers again."""
        return {"subjects": {subject.name: dict(subject.results.provenance) for subject in self.subjects}}

    def files(self) -> dict[str, bytes]:
        """Every table as CSV and Parquet, and its provenance, by file name; what the subjects are stands in subjects.csv."""
        return table_files(self.tables(), self.provenance)


def in_words(compared: Comparison) -> str:
    """What a terminal shows: of studies what is learned and their verdicts; statistics by layer, the match of the heads."""
    said = [*_causes(compared), *_verdicts(compared)] if compared.studies else [_differences(compared)]
    return "\n\n".join([*said, _by_layer(compared), *_overall(compared), *_matches(compared)])


def _causes(compared: Comparison) -> list[str]:
    """A line a row of a claim, the subject's number beside those of its controls, or of another subject."""
    subjects = compared.studies
    own = [f"{one.subject}, {one.bars.name}: {one.label}. {one.sentence}." for one in causes(subjects)]
    others = [
        f"{one.subject} and {one.others[0]}, {one.bars.name}: {one.verdict}. {one.sentence}."
        for one in other_differences(subjects)
    ]
    return ["\n".join(lines) for lines in (own, others, [few_twins(subjects)]) if any(lines)]


def _verdicts(compared: Comparison) -> list[str]:
    rows = verdict_rows(findings_table(compared.studies))
    return [markdown(["claim", *(subject.name for subject in compared.studies)], rows)]


def _differences(compared: Comparison) -> str:
    """A sentence a subject: how far strong pairs reach in it and in the first."""
    first, *others = compared.subjects
    return "\n".join(difference_in_words(first, other, PRINTED[0]) for other in others)


def _by_layer(compared: Comparison) -> str:
    """A table a statistic would be long: a row a subject and statistic, its layers in one cell, chance in another."""
    layers = {subject.name: subject.results.layers for subject in compared.subjects}
    rows = [
        [one.label, name, " ".join(map(one.brief, own[one.name])), one.brief(own[one.chance].mean())]
        for one in PRINTED
        for name, own in layers.items()
    ]
    return markdown(["statistic", "subject", "by layer, from the first", "chance"], rows)


def _overall(compared: Comparison) -> list[str]:
    rows = []
    for name, beside in compared.paired.items():
        means = beside.means.set_index("statistic")
        kind = "paired by text" if beside.paired else "not paired: other texts"
        for one in PRINTED:
            if one.name in means.index:
                row = means.loc[one.name]
                told = [one.brief(row[column]) for column in ("first", "second", "difference", "low", "high")]
                rows.append([one.label, name, told[0], told[1], f"{told[2]} [{told[3]}, {told[4]}]", kind])
    first = compared.subjects[0].name
    head = ["mean over layers", "subject", first, "subject's", "difference [95%]", ""]
    return [markdown(head, rows)] if rows else []


def _matches(compared: Comparison) -> list[str]:
    rows = [
        [
            name,
            f"{match.words} words",
            f"{match.value.mean():z.2f}",
            f"{match.chance:z.2f}",
            f"{match.sure.sum()} of {len(match.sure)}",
            f"{in_percent(match.mutual[0])} ({in_percent(match.mutual[1])})",
            f"{in_percent(match.one_to_one[0])} ({in_percent(match.one_to_one[1])})",
        ]
        for name, match in compared.match.items()
    ]
    first = compared.subjects[0].name
    head = [f"heads of {first} matched with", "over", "best match, mean", "chance", "above the bar of all heads",
            "mutual (chance)", "one to one (chance)"]  # fmt: skip
    told = [f"Heads of {first} and {name}: {why}" for name, why in compared.unmatched.items()]
    return [*([markdown(head, rows)] if rows else []), *told]


def _in_cells(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """A study's provenance has mappings, such as the versions of its software, which no cell of CSV holds: those as JSON."""
    return {name: json.dumps(value) if isinstance(value, Mapping) else value for name, value in provenance.items()}
