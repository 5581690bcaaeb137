"""The report of one text, or of a study: what both have, and what only one of them has."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import pandas as pd

from attn_core.charts.claims import claim_picture
from attn_core.charts.notebook import HeadTables
from attn_core.columns.terms import paper, question, terms
from attn_core.findings.bars import OF_A_PAGE
from attn_core.findings.claims_table import claims_table
from attn_core.findings.examples import examples_of_claim
from attn_core.findings.protocols import HeadsAndLayers
from attn_core.findings.verdicts import CLAIMS, Finding, findings
from attn_core.io.paths import last_part
from attn_core.io.tables import software
from attn_core.report import cells, commands
from attn_core.report.document import Entry, Report, Section
from attn_core.report.figures import figure, of_results
from attn_core.study.in_words import layout_in_words, settings_in_words, study_in_words, warnings_of
from attn_core.study.opened import Study

TERMS = ("head_output", "similarity", "strong_pairs", "chance", "anchor", "role", "structureless", "verdict")
OURS = (
    "The paper's threshold, its corpus and its treatment of special tokens are not known to us: the share of pairs, the measure "
    "and the bars of the verdicts are our choices, named above. Other choices may turn a verdict.",
    "A verdict speaks of these texts and this model alone. Structure alone brings about much: whether something is learned is "
    "told only by the model beside its twins, and whether it is language by the shuffled text: a comparison.",
)
OF_ONE_TEXT = f"One text is an anecdote: another may say otherwise, and a study asks many. {OF_A_PAGE}"
OF_STUDY = "The intervals are over the texts of this corpus; other kinds of texts may say otherwise."
THE_CLAIMS = "The claims: effects with their 95 % intervals among the bars"
READING = (
    "Only where the whole interval lies in a shaded zone is a row as in the paper, or unlike it; the bars are ours."
)
NOT_QUOTED = "The text is not quoted here; its SHA-256 below tells it from every other."


class Results(HeadTables, HeadsAndLayers, Protocol):
    """What a report is made of."""

    @property
    def provenance(self) -> Mapping[str, object]: ...


def of_text(
    results: Results,
    title: str | None,
    quoted: str = "",
    firm: Mapping[str, str] | None = None,
    chapters: Sequence[Section] = (),
) -> Report:
    """One text. title: its name, None where its name would quote it; quoted: the text, where the reader wants it to stand here.

    firm: by effect, what other settings do to its verdict, as far as it is known.
    """
    told = results.provenance
    model = short(str(told["model"]))
    how = [layout_in_words(str(told["layout"])), *settings_in_words(told)]
    said = [f"Read in {', '.join(how)}.", *([] if quoted else [NOT_QUOTED])]
    text = [Section("The text", quoted=quoted)] if quoted else []
    return Report(
        f"What the heads of {model} make alike in {f'“{title}”' if title else 'one text'}",
        "A text read by a model",
        (*_results(results, said, firm or {}), *text, *chapters, *_end((*OURS, OF_ONE_TEXT), commands.of_text(told))),
    )


def of_study(study: Study, quote: bool, chapters: Sequence[Section] = ()) -> Report:
    """A study. quote: whether pairs of its texts may be read here."""
    told = ", ".join(study_in_words(study)) + "."
    examples = [_examples(study)] if quote else []
    return Report(
        f"What the heads of {short(str(study.provenance['model']))} make alike: {study.folder.name}",
        "A study of many texts",
        (
            *_results(study, [told, *warnings_of(study)], {}),
            *examples,
            *chapters,
            *_end((*OURS, OF_STUDY), commands.of_study(study.manifest)),
        ),
    )


def asked() -> Section:
    """The question, and whose claims it is about."""
    named, address = paper()
    told = (
        f"C1 to C6 are claims of the abstract of {named}. C7, and that distances drop by about 30 %, stand in summaries of it, "
        "not in its abstract. The paper studied bert-base-uncased."
    )
    return Section("The question", points=(question(), f"{told} {address}"))


def _results(results: Results, said: Sequence[str], firm: Mapping[str, str]) -> tuple[Section, ...]:
    found = findings(results)
    told = {"software": software()} | dict(results.provenance)
    told["software"] = told.pop("software")  # at the end
    return (
        asked(),
        Section(
            "In short",
            told=(inshort(found), *said),
            tables=(cells.of_verdicts(found),),
            figures=(figure(claim_picture(claims_table(found)), THE_CLAIMS, READING),),
        ),
        Section("Claim by claim", entries=cells.of_findings(found, firm)),
        method(TERMS, cells.meanings()),
        Section("What was read, and how", tables=(cells.of_provenance(told),)),
        Section("Figures", figures=tuple(of_results(results))),
        Section("Tables", tables=(cells.of_layers(results.layers), cells.of_heads(results.heads))),
    )


def method(names: Sequence[str], more: Sequence[str] = ()) -> Section:
    """The terms that are used, and what the columns of the tables mean."""
    return Section("Method: what the words mean", points=(*(terms()[name] for name in names), *more))


def inshort(found: Sequence[Finding]) -> str:
    """How many rows of the claims got which verdict, and which."""
    by_verdict: dict[str, list[str]] = {}
    for one in found:
        by_verdict.setdefault(one.verdict, []).append(one.bars.name)
    parts = [f"{verdict}: {', '.join(claims)}" for verdict, claims in by_verdict.items()]
    told = "; ".join(parts)
    return f"{told[0].upper()}{told[1:]}."


def _end(limits: Sequence[str], again: str) -> tuple[Section, ...]:
    return limits_of(limits), Section("To make it again", code=again)


def limits_of(limits: Sequence[str]) -> Section:
    """What the numbers do not say."""
    return Section("Limits", told=tuple(limits))


def _examples(study: Study) -> Section:
    entries = []
    for claim, words in CLAIMS.items():
        rows = examples_of_claim(claim, study.examples, study.heads, study.layers)
        entries.append(Entry(f"{claim}: {words}", tuple(_pair(row) for _, row in rows.iterrows())))
    return Section(
        "Pairs to read", told=("A pair shows what a claim means; it proves nothing.",), entries=tuple(entries)
    )


def _pair(row: pd.Series) -> str:
    text = "".join(
        [
            str(row["before"]),
            f"[{row['first_text']}]",
            str(row["between"]),
            f"[{row['second_text']}]",
            str(row["after"]),
        ]
    )
    return f"L{row['layer']}H{row['head']}, {row['kind']}: {' '.join(text.split())}"


def short(model: str) -> str:
    """A model without its publisher or folder."""
    name, comma, more = model.partition(", ")
    return last_part(name) + comma + more
