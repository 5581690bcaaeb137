"""The report of one text, or of a study: what both have, and what only one of them has."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Protocol, get_args

import pandas as pd

from attn_core.findings.bars import Verdict
from attn_core.findings.examples import examples_of_claim
from attn_core.findings.notable_heads import length_in_words, notable_heads
from attn_core.findings.table import claims_table
from attn_core.findings.verdicts import CLAIMS, Finding, findings
from attn_core.io.tables import software
from attn_core.report import cells, commands
from attn_core.report.document import Entry, Figure, Report, Section, Table
from attn_core.report.figures import of_claims, picture_of_claims
from attn_core.report.notebook import HeadTables
from attn_core.report.parts import OURS, TERMS, claim_by_claim, made_of, method, of_the_paper, short
from attn_core.study.in_words import layout_in_words, settings_in_words, study_in_words, units_of, warnings_of
from attn_core.study.opened import Study

OF_ONE_TEXT = "One text is an anecdote: another may say otherwise. A study asks the claims of the paper of many texts."
OF_STUDY = "The intervals are over the {units} of this corpus; other kinds of texts may say otherwise."
NOT_QUOTED = "The text is not quoted here; its SHA-256 below tells it from every other."


class Results(HeadTables, Protocol):
    """What a report is made of."""

    @property
    def statistics(self) -> pd.DataFrame: ...
    @property
    def provenance(self) -> Mapping[str, Any]: ...


def of_text(results: Results, title: str | None, quoted: str = "") -> Report:
    """One text. title: its name, None where its name would quote it; quoted: the text, where the reader wants it here."""
    told = results.provenance
    how = [layout_in_words(str(told["layout"])), *settings_in_words(told)]
    figures = dict(zip(count(1), of_claims(results)))
    roles = next(number for number, (_, name, _) in figures.items() if name == "roles")
    said = [_notable(results, roles), f"Read in {', '.join(how)}.", *([] if quoted else [NOT_QUOTED])]
    text = [Section("The text", quoted=quoted)] if quoted else []
    return made_of(
        f"What the heads of {short(str(told['model']))} make alike in {f'“{title}”' if title else 'one text'}",
        "A text read by a model",
        of_the_paper(),
        (
            Section("In short", told=tuple(said)),
            Section("Layer by layer, head by head", figures=tuple(drawn for _, _, drawn in figures.values())),
            _tables(results),
            *text,
        ),
        method=method(TERMS, cells.meanings()),
        read=_read(results),
        limits=(*OURS, OF_ONE_TEXT),
        again=commands.of_text(told),
    )


def of_study(study: Study, quote: bool) -> Report:
    """A study. quote: whether pairs of its texts may be read here."""
    told = ", ".join(study_in_words(study)) + "."
    examples = [_examples(study)] if quote else []
    return made_of(
        f"What the heads of {short(str(study.provenance['model']))} make alike: {study.folder.name}",
        "A study of many texts",
        of_the_paper(),
        (*_results(study, [told, *warnings_of(study)]), *examples),
        method=method(TERMS, cells.meanings()),
        read=_read(study),
        limits=(*OURS, OF_STUDY.format(units=units_of(study))),
        again=commands.of_study(study.manifest),
    )


def _results(study: Study, said: Sequence[str]) -> tuple[Section, ...]:
    found = findings(study)
    figures: dict[str, list[Figure]] = {}
    numbers: dict[str, int] = {}
    for number, (claim, name, drawn) in enumerate(of_claims(study), start=2):  # behind the picture of the claims
        figures.setdefault(claim, []).append(drawn)
        numbers[name] = number
    in_short = Section(
        "In short",
        told=(inshort(found), _notable(study, numbers["roles"]), *said),
        figures=(picture_of_claims(claims_table(found)),),
        tables=(cells.of_verdicts(found),),
    )
    return in_short, claim_by_claim(found, figures), _tables(study)


def _tables(results: Results) -> Section:
    return Section("Tables", tables=(cells.of_layers(results.layers), cells.of_heads(results.heads)), folded=True)


def _notable(results: Results, figure: int) -> str:
    """Which heads are worth a look, with chance, the figure of their roles, and what the longest vectors explain."""
    heads = results.statistics
    told = "; ".join(f"{one.head} {one.what} ({one.numbers})" for one in notable_heads(heads, {}))
    caveat = length_in_words(heads, {}) if "length_share" in heads else ""
    return f"Heads worth a look: {told or 'none'} (Figure {figure}). {caveat}".strip()


def _read(results: Results) -> tuple[Table]:
    """Where the numbers come from, the software at the end."""
    told = {"software": software()} | dict(results.provenance)
    told["software"] = told.pop("software")
    return (cells.of_provenance(told),)


def inshort(found: Sequence[Finding]) -> str:
    """Which rows of the claims got which verdict, as the first figure shows it."""
    by_verdict: dict[str, list[str]] = {verdict: [] for verdict in get_args(Verdict)}
    for one in found:
        by_verdict[one.verdict].append(one.bars.name)
    told = "; ".join(f"{verdict}: {', '.join(claims)}" for verdict, claims in by_verdict.items() if claims)
    return f"{told[0].upper()}{told[1:]} (Figure 1)."


def _examples(study: Study) -> Section:
    entries = []
    for claim, words in CLAIMS.items():
        rows = examples_of_claim(claim, study.examples, study.heads, study.layers)
        entries.append(Entry(f"{claim}: {words}", tuple(_pair(row) for _, row in rows.iterrows())))
    return Section(
        "Pairs to read", told=("A pair shows what a claim means; it proves nothing.",), entries=tuple(entries)
    )


def _pair(row: pd.Series) -> str:
    text = f"{row['before']}[{row['first_text']}]{row['between']}[{row['second_text']}]{row['after']}"
    return f"L{row['layer']}H{row['head']}, {row['kind']}: {' '.join(text.split())}"
