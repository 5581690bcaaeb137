"""Reports of a text, or of a folder written by a command: figures, tables, and the meaning of columns."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.analysis.one_text import Analysis
from attn_core.charts.catalogue import COMPARISON, EVERY_SETTING, TEXT, TRAINING, Tables, draw_figure, reported
from attn_core.charts.curve import Copies
from attn_core.charts.paper import drawing
from attn_core.columns.dictionary import terms
from attn_core.errors import InputError, in_one_sentence
from attn_core.interventions.ablation import Ablation, about, answers
from attn_core.io.exports import checked_provenance
from attn_core.io.paths import last_part, printable, without_places
from attn_core.report import cells
from attn_core.report.document import Figure, Report, Section, Table
from attn_core.runs.results import Results, open_run
from attn_core.study.descriptions import describe_origin, warnings_of
from attn_core.study.opened import Study, SubjectTables
from attn_core.study.settings import PAPERS

OF_TEXT = ("heads", "layers", "distance_bins", "similarities", "reach", "kinds", "anchors")
SOURCES = "sources"  # a table of a text that is made where it was asked for
OF_STUDY = ("subjects", "drift")  # tables of all subjects
LEFT_OUT = ("examples", "text_heads")  # of reports: tables that quote texts, or that are read by a program alone
WIDE, HALF = 860, 452  # pixels: a readable A4 page, and half of the screen width
NO_COMMAND = "No command: these tables were made from Python or on a page."
PRINTED = f"Brackets: 95% intervals; parentheses: chance levels. At most {cells.ROWS} rows of a table."


def of_text(
    analysis: Analysis, title: str | None, copies: Copies, argv: Sequence[str] = (), with_sources: bool = False
) -> Report:
    """The report of a text.

    title: name of the text; None if the name would quote the text. copies: the table layers of copies of the model.
    """
    names = (*OF_TEXT, *[SOURCES] * with_sources)
    tables = Tables(TEXT, names, partial(getattr, analysis), analysis.unit, copies=copies)
    return _of_one_text(title, tables, {**analysis.provenance, "argv": without_places(argv)})


def _of_one_text(title: str | None, tables: Tables, provenance: Mapping[str, Any]) -> Report:
    return _report(f"{title or 'One text'}, read by {last_part(str(provenance['model']))}", [tables], provenance)


def of_folder(folder: Path) -> Report:
    """The report of a folder written by a command. Raises InputError for other, unfinished or damaged folders."""
    with in_one_sentence(InputError, f"{printable(folder)} holds no tables as this program writes them"):
        run = open_run(folder)
        return of_run(run) if run else _of_tables(folder, checked_provenance(folder))


def _of_tables(folder: Path, provenance: Mapping[str, Any]) -> Report:
    """The report of exported tables."""
    stored = (file for file in provenance.get("files", ()) if file.endswith(".parquet"))
    tables = {file.removesuffix(".parquet"): pd.read_parquet(folder / file) for file in stored}
    if "subjects" in provenance:
        return of_comparison(tables, provenance)
    if "text_sha256" not in provenance:
        raise InputError(
            f"{printable(folder)} holds nothing that a report is made of: name a text file, or a folder that `study`, "
            "`analyze --out`, `compare --out` or `ablate` has written."
        )
    if missing := {*OF_TEXT, "tokens"} - {*tables}:
        raise InputError(f"{printable(folder)} has no {min(missing)}.parquet, as this version has: make them again.")
    names = [*OF_TEXT, *({SOURCES} & {*tables})]
    return _of_one_text(None, Tables(TEXT, names, tables.__getitem__, provenance["unit"]), provenance)


def of_comparison(tables: Mapping[str, pd.DataFrame], provenance: Mapping[str, Any]) -> Report:
    """The report of a comparison. tables: by name."""
    every = Tables(COMPARISON, tuple(tables), tables.__getitem__)
    return _report(" and ".join(provenance["subjects"]), [every], provenance)


def of_run(run: Results) -> Report:
    """The report of a study or of an ablation."""
    stored = [name.removesuffix(".parquet") for name in run.stored if name.endswith(".parquet")]
    names = [name for name in stored if name not in LEFT_OUT]
    summary: list[str] = []
    parts = [Tables(run.kind, names, run.table)]
    if isinstance(run, Study):
        parts = list(parts_of(run, names))
        summary = [f"{', '.join(describe_origin(run))}.", *warnings_of(run)]
    elif isinstance(run, Ablation):
        summary = [about(run), *answers(run)]
    provenance = {**run.provenance, "argv": run.manifest.get("argv")}
    return _report(f"{run.kind.capitalize()}: {run.folder.name}", parts, provenance, summary)


def parts_of(study: Study, names: Sequence[str]) -> Iterator[Tables]:
    """The tables of each model (for a training: of its last step, then of all steps), and the list of subjects."""
    last = {subject.name: subject for subject in study.own}.values()
    own = [name for name in names if name not in OF_STUDY]
    for subject in last:
        tables = study.of(subject.name, subject.step)
        table = partial(_of_subject, tables)
        label = subject.label if len(last) > 1 or subject.step is not None else ""
        copies = {name: copy.layers for name, copy in tables.copies.items()}
        yield Tables(TEXT, [name for name in own if len(table(name))], table, study.unit, label, copies)
        if study.manifest["settings"]["every_setting"]:
            every = tables.claims_by_setting
            of_paper = {"claims": every[every["measure"] == PAPERS]}  # with the measure of the paper
            yield Tables(EVERY_SETTING, of_paper, of_paper.__getitem__, study.unit, f"{subject.label}, every setting")
        if subject.step is not None:
            of_steps = [name for name in ("layers", "drift") if name in names]
            steps = partial(study.steps, subject.name)
            copies = study.copies_by_step(subject.name, "layers")
            yield Tables(TRAINING, of_steps, steps, study.unit, f"{subject.name}, all steps", copies)
    yield Tables("study", OF_STUDY[:1], study.table)


def _of_subject(tables: SubjectTables, name: str) -> pd.DataFrame:
    return tables.claims if name == "claims" else tables.table(name)


def _report(title: str, parts: Sequence[Tables], about: Mapping[str, Any], summary: Sequence[str] = ()) -> Report:
    """The report of some tables. about: their provenance."""
    tables = [(of, name, of[name]) for of in parts for name in of.names if name != "claims"]
    meanings = dict.fromkeys(row for one in tables for row in cells.meanings(*one))
    words = (
        Table("Terms", ("term", "meaning"), terms(), words=None),
        Table("Columns", ("column", "meaning", "chance level"), tuple(meanings), words=None),
    )
    printed = tuple(cells.of_table(*one) for one in tables if len(one[2]))
    argv = about.get("argv")
    command = shlex.join(["python", "-m", "attn_core", *argv]) if argv else ""
    sections = (
        *([Section("Summary", tuple(summary))] if summary else []),
        *(section for of in parts if (section := _figures(of)).figures or section.tables),
        Section("Tables", (PRINTED,), tables=printed, folded=True),
        Section("The command", () if command else (NO_COMMAND,), code=command),
        Section("What the words mean", tables=words, folded=True),
        Section("What was read, and how", tables=(cells.of_provenance(about),), folded=True),
    )
    return Report(title, sections)


def _figures(of: Tables) -> Section:
    """A section with the claims, if any, and all figures."""
    claims = (cells.of_claims(of["claims"]),) if of.kind == TEXT and "claims" in of.names else ()
    return Section(of.subject or "Figures", figures=figures_of(of), tables=claims)


def figures_of(of: Tables, *names: str) -> tuple[Figure, ...]:
    """The figures that a report of the tables has, see `reported`. names: of the wanted figures, by default all."""
    return tuple(
        Figure(one.title, one.chart.description, drawing(one.chart.to_dict(), WIDE if one.wide else HALF), not one.wide)
        for name, statistics, arguments in reported(of, *names)
        for one in [draw_figure(name, of, *statistics, **arguments)]
    )
