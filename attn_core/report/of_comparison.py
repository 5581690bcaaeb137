"""The report of a comparison, from its tables."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from attn_core.charts.comparison import best_match_map, depth_curves
from attn_core.comparison.causes import RULE, claims_with, contrasts_in
from attn_core.comparison.subjects import verdict_rows
from attn_core.findings.bars import BY_EFFECT
from attn_core.findings.table import findings_in
from attn_core.measures.statistics import BY_NAME
from attn_core.report import cells, commands
from attn_core.report.document import Figure, Report, Section, Table
from attn_core.report.figures import HALF, figure, picture_of_claims
from attn_core.report.parts import OURS, TERMS, claim_by_claim, made_of, method, of_the_paper

DEFAULT = re.compile(r"\Adefault(?=\+|\Z)")  # the name of a command for the default model
CURVES = {
    "C2": "mean_distance", "C3": "same_sentence_share", "C6": "separator_attention", "C7": "noise_rate",
}  # fmt: skip
OF_ONE_TEXT = (
    "Subjects that read one text have no intervals: another text may say otherwise. Studies of one corpus have."
)
EXPLAINED = "What the words of learning and of language mean, and by what margin, stands under Method."
MARKS = {
    "untrained": "its untrained twin: the same network with random weights, drawn from the seed behind the mark",
    "permuted": "its permuted twin: the entries of each weight matrix of its layers in random order, by the seed behind the mark",
    "shuffled": "the model reading the same tokens in random order",
}  # behind a name, with a +
MATCH = (
    "In a cell stands the head of the other subject that is most like this one: the rank correlation of their similarity "
    "matrices over the words of the text. The colour is how alike."
)


def of_comparison(tables: Mapping[str, pd.DataFrame], provenance: Mapping[str, Any]) -> Report:
    """A comparison, as `Comparison.tables` has it."""
    names = {name: _named_by_model(name, about) for name, about in provenance["subjects"].items()}
    subjects = {names[name]: about for name, about in provenance["subjects"].items()}
    tables = {name: _renamed(table, names) for name, table in tables.items()}
    first, *others = subjects
    studies = "findings" in tables
    own = _of_studies(tables, list(subjects)) if studies else _of_texts(tables, subjects)
    matched = tuple(_matches(tables, first))
    return made_of(
        f"{first} beside {' and '.join(others)}",
        "A comparison",
        of_the_paper(),
        (*own, *([Section("Heads that are alike", figures=matched)] if matched else [])),
        method=method(TERMS, (*(rule_of_causes() if studies else ()), *cells.meanings([*CURVES.values()]))),
        read=[
            replace(cells.of_provenance(about), title=f"Where the numbers of {name} come from")
            for name, about in subjects.items()
        ],
        limits=OURS if studies else (*OURS, OF_ONE_TEXT),
        again=commands.of_comparison(provenance["subjects"]),
    )


def _of_studies(tables: Mapping[str, pd.DataFrame], subjects: Sequence[str]) -> tuple[Section, ...]:
    """The claims in the first study, with the others beside it."""
    first, *others = subjects
    verdicts = tables["findings"]
    found = findings_in(verdicts[verdicts["subject"] == first])
    claims = claims_with(found, contrasts_in(tables["causes"], first))
    side_by_side = Table(
        "The verdicts of every subject", ("claim", *subjects), verdict_rows(verdicts), words=None, folded=True
    )
    in_short = Section(
        "In short",
        told=(EXPLAINED, *_marks(subjects)),
        figures=(picture_of_claims(claims, f"{first} beside {' and '.join(others)}"),),
        tables=(*_causes(tables["causes"]), side_by_side),
    )
    return in_short, claim_by_claim(found, _curves(tables["curves"]), heading=f"Claim by claim: {first}")


def _of_texts(tables: Mapping[str, pd.DataFrame], subjects: Iterable[str]) -> tuple[Section, ...]:
    """The statistics by layer, of every subject."""
    figures = [drawn for of_claim in _curves(tables["curves"]).values() for drawn in of_claim]
    return (Section("Layer by layer", told=tuple(_marks(subjects)), figures=tuple(figures)),)


def _marks(names: Iterable[str]) -> Iterator[str]:
    """What the marks behind names mean, of those that there are."""
    told = "; ".join(
        f"+{mark} is {meaning}" for mark, meaning in MARKS.items() if any(f"+{mark}" in name for name in names)
    )
    if told:
        yield f"Behind a model's name {told}."


def _named_by_model(name: str, about: Mapping[str, Any]) -> str:
    """A subject's name with the model's in place of “default”, which says nothing to who did not give the command."""
    model = str(about["model"]).partition(", ")[0].rsplit("/", 1)[-1]
    return DEFAULT.sub(lambda _: model, name)


def _renamed(table: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """A table with other names of its subjects; `against` may name several."""
    own = [column for column in ("subject", "against") if column in table]
    return table.assign(
        **{
            column: [", ".join(names.get(one, one) for one in str(cell).split(", ")) for cell in table[column]]
            for column in own
        }
    )


def rule_of_causes() -> tuple[str, ...]:
    """The rule of the page, a point each."""
    return tuple(" ".join(point.split()) for point in RULE.split("\n- ") if point.strip())


def _causes(causes: pd.DataFrame) -> Iterator[Table]:
    """What each claim turns out to be, then an effect a row: both numbers, their difference, the margin."""
    if causes.empty:
        return
    settled = causes[causes["verdict"] != ""].drop_duplicates(["effect", "subject"])
    if len(settled):
        told = [
            {
                "claim": f"{one.claim} {one.topic}",
                "what the abstract says": BY_EFFECT[one.effect].abstract,
                "subject": one.subject,
                "it is": one.verdict,
            }
            for one in settled.itertuples()
        ]
        yield Table.of("What is learned, what is language", told, words=None, folded=True)
    rows = []
    for row in causes.to_dict("records"):
        bars = BY_EFFECT[row["effect"]]
        interval = "" if pd.isna(row["low"]) else f" [{row['low']:z.3f}, {row['high']:z.3f}]"
        rows.append(
            {
                "effect": f"{row['claim']} {bars.label}",
                "subject – other": f"{row['subject']} – {row['against']}",
                "more of what is claimed?": row["outcome"],
                "subject's": bars.number(row["first"]),
                "other's": bars.number(row["second"]),
                "difference [95%]": f"{row['difference']:z.3f}{interval}",
                "margin": f"{row['margin']:.3f}",
            }
        )
    yield Table.of("The numbers that this rests on", rows, words=3, folded=True)


def _curves(curves: pd.DataFrame) -> dict[str, list[Figure]]:
    """By claim, the statistic that it is of, by depth."""
    drawn: dict[str, list[Figure]] = {}
    for claim, name in CURVES.items():
        shown, statistic = curves[(curves["statistic"] == name) & curves["value"].notna()], BY_NAME[name]
        if len(shown):
            reading = f"{statistic.question} A line is a subject; dashed in its colour is its chance level."
            title = f"{statistic.label} by depth"
            drawn[claim] = [figure(depth_curves(shown, statistic), title, reading, HALF)]
    return drawn


def _matches(tables: Mapping[str, pd.DataFrame], first: str) -> Iterator[Figure]:
    if "best_matches" in tables:
        for other, matches in tables["best_matches"].groupby("subject", sort=False):
            title = f"The head of {other} that is most like each head of {first}"
            yield figure(best_match_map(matches.reset_index(drop=True)), title, MATCH)
