"""A whole comparison as tables, as they are exported and as the command line prints them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from attn_core.comparison.match import HeadMatch, in_percent, match_heads
from attn_core.comparison.subjects import Subject, curves, difference_in_words, layer_differences
from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.io.tables import markdown, table_files
from attn_core.measures.statistics import BY_NAME, MAIN

PRINTED = [BY_NAME[name] for name in MAIN]


@dataclass(frozen=True, eq=False)
class Comparison:
    """A and B. Raises InputError where both have one name."""

    a: Subject
    b: Subject

    def __post_init__(self) -> None:
        if self.a.name == self.b.name:
            raise InputError(f"A and B are both {shown(self.a.name)}: name another B.")

    @cached_property
    def match(self) -> HeadMatch | str:
        """The match of A's heads with those of B, or why they cannot be matched."""
        a, b = self.a.results, self.b.results
        if a.reading.document.text != b.reading.document.text:
            return "Heads are matched over the words of one text: A and B have read different texts."
        try:
            return match_heads(a.reading, b.reading, (a.settings.measure, b.settings.measure))
        except InputError as error:
            return str(error)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """A minus B, layer by layer: statistic, depth, first, second, difference."""
        return layer_differences(self.a.results, self.b.results)

    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name."""
        tables = {
            "subjects": pd.DataFrame([{"subject": one.name, **one.results.provenance} for one in (self.a, self.b)]),
            "curves": curves([self.a, self.b]),
            "differences": self.differences,
        }
        if isinstance(self.match, HeadMatch):
            tables |= {"best_matches": self.match.table(), "head_match": self.match.matrix()}
        return tables

    @property
    def provenance(self) -> Mapping[str, Any]:
        """What it takes to make the same numbers again."""
        return {"subjects": {one.name: dict(one.results.provenance) for one in (self.a, self.b)}}

    def files(self) -> dict[str, bytes]:
        """Every table as CSV and Parquet, and its provenance, by file name; what the subjects are stands in subjects.csv."""
        return table_files(self.tables(), self.provenance)


def in_words(compared: Comparison) -> str:
    """What a terminal shows: how the main statistic differs, statistics by layer, the match of the heads."""
    differs = difference_in_words(compared.a, compared.b, PRINTED[0])
    return "\n\n".join([differs, _by_layer(compared), _match(compared)])


def _by_layer(compared: Comparison) -> str:
    """A row a subject and statistic, its layers in one cell, chance in another."""
    layers = {one.name: one.results.layers for one in (compared.a, compared.b)}
    rows = [
        [one.label, name, " ".join(map(one.brief, own[one.name])), one.brief(own[one.chance].mean())]
        for one in PRINTED
        for name, own in layers.items()
    ]
    return markdown(["statistic", "subject", "by layer, from the first", "chance"], rows)


def _match(compared: Comparison) -> str:
    match = compared.match
    if isinstance(match, str):
        return match
    row = [
        f"{match.words} words", f"{match.value.mean():z.2f}", f"{match.chance:z.2f}", f"{match.sure.sum()} of {len(match.sure)}",
        f"{in_percent(match.mutual[0])} ({in_percent(match.mutual[1])})",
        f"{in_percent(match.one_to_one[0])} ({in_percent(match.one_to_one[1])})",
    ]  # fmt: skip
    head = [
        "heads matched over",
        "best match, mean",
        "chance",
        "above chance",
        "mutual (chance)",
        "one to one (chance)",
    ]
    return markdown(head, [row])
