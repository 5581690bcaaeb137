"""A comparison as tables, for export and for the command line."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from attn_core.analysis.one_text import Analysis
from attn_core.comparison.differences import curves, describe_difference, layer_differences
from attn_core.comparison.match import HeadMatch, match_heads
from attn_core.errors import InputError
from attn_core.io.tables import markdown, table_files
from attn_core.measures.statistics import BY_NAME, MAIN

PRINTED = [BY_NAME[name] for name in MAIN]
SHORT = "{:.3g}".format


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two subjects by name, A first."""

    subjects: Mapping[str, Analysis]

    @cached_property
    def match(self) -> HeadMatch | str:
        """The match of A's heads with those of B, or a sentence why they cannot be matched."""
        a, b = self.subjects.values()
        if a.reading.document.text != b.reading.document.text:
            return "Heads are matched over the words of one text: A and B have read different texts."
        try:
            return match_heads(a.reading, b.reading, (a.settings.measure, b.settings.measure))
        except InputError as error:
            return str(error)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """A minus B, layer by layer: statistic, depth, first, second, difference."""
        return layer_differences(*self.subjects.values())

    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name."""
        tables = {
            "subjects": pd.DataFrame([{"subject": name, **one.provenance} for name, one in self.subjects.items()]),
            "curves": curves(self.subjects),
            "differences": self.differences,
        }
        if isinstance(self.match, HeadMatch):
            tables |= {"best_matches": self.match.table(), "head_match": self.match.matrix()}
        return tables

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Everything that is needed to make the same numbers again."""
        return {"subjects": {name: dict(one.provenance) for name, one in self.subjects.items()}}

    def files(self) -> dict[str, bytes]:
        """Every table as CSV and Parquet with its provenance, by file name; subjects.csv describes the subjects."""
        return table_files(self.tables(), self.provenance)


def describe(compared: Comparison) -> str:
    """The text for a terminal: how the main statistic differs, statistics by layer, the match of the heads."""
    differs = describe_difference(compared.subjects, PRINTED[0])
    return "\n\n".join([differs, _by_layer(compared), _match(compared)])


def _by_layer(compared: Comparison) -> str:
    """A Markdown table: a row per subject and statistic, with its layers in one cell."""
    rows = [
        [one.label, name, " ".join(map(SHORT, of.layers[one.name])), SHORT(of.layers[one.chance].mean())]
        for one in PRINTED
        for name, of in compared.subjects.items()
    ]
    return markdown(["statistic", "subject", "by layer, from the first", "chance"], rows)


def _match(compared: Comparison) -> str:
    match = compared.match
    if isinstance(match, str):
        return match
    row = [
        f"{match.words} words", f"{match.value.mean():z.2f}", f"{match.chance:z.2f}",
        f"{match.sure.sum()} of {len(match.sure)}", f"{match.mutual[0]:.0%} ({match.mutual[1]:.0%})",
    ]  # fmt: skip
    head = ["heads matched over", "best match, mean", "chance", "above chance", "mutual (chance)"]
    return markdown(head, [row])
