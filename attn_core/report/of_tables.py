"""The report of a text, or of what a command has written into a folder: of tables, whatever they are of.

Which figures are drawn, the tables' names say (`charts.registry`); what columns mean, their dictionary.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.analysis.one_text import Analysis
from attn_core.charts.registry import Tables
from attn_core.columns.dictionary import paper, question, terms
from attn_core.errors import InputError
from attn_core.interventions.ablation import Ablation, about, answers
from attn_core.io.paths import shown, without_places
from attn_core.io.table_folder import checked_provenance
from attn_core.report import cells
from attn_core.report.document import Report, Section
from attn_core.report.figures import EVERY_SETTING, figures
from attn_core.runs.results import Results, open_run
from attn_core.study.descriptions import describe_origin, warnings_of
from attn_core.study.opened import Study, SubjectTables
from attn_core.study.settings import PAPERS

OF_TEXT = ("heads", "layers", "distance_bins", "kinds", "anchors")
OF_STUDY = ("subjects", "drift")  # of all subjects together
QUOTING = ("examples",)
LIMITS = (
    "The paper's threshold and corpus are not known to us: the share of pairs and the thresholds of the verdicts are ours.",
    "Structure alone brings about much: whether something is learned, only a comparison with copies of the model shows.",
    "One text is an anecdote. The intervals of a study are over its texts: other kinds of texts may say otherwise.",
)
NO_COMMAND = "No command is kept: these tables were made from Python, or on a page."
PRINTED = f"In brackets stand 95% intervals, in parentheses chance levels; of a table at most {cells.ROWS} rows."


def of_text(analysis: Analysis, title: str | None, quoted: str = "", argv: Sequence[str] = ()) -> Report:
    """One text. title: its name, None where its name would quote it; quoted: the text, where the reader wants it here."""
    tables = Tables("text", OF_TEXT, partial(getattr, analysis), analysis.unit)
    provenance = {**analysis.provenance, "argv": without_places(argv)}
    return _report(title or "One text", "A text read by a model", [tables], provenance, quoted=quoted)


def of_folder(folder: Path, quote: bool) -> Report:
    """What a command has written into a folder. Raises InputError where there is none, or one that is unfinished or damaged."""
    if run := open_run(folder):
        return of_run(run, quote)
    provenance = checked_provenance(folder)
    stored = (file for file in provenance.get("files", ()) if file.endswith(".parquet"))
    tables = {file.removesuffix(".parquet"): pd.read_parquet(folder / file) for file in stored}
    if "subjects" in provenance:
        return of_comparison(tables, provenance)
    if "text_sha256" not in provenance:
        raise InputError(
            f"{shown(folder)} holds nothing that a report is made of: name a text file, or a folder that `study`, "
            "`analyze --out`, `compare --out` or `ablate` has written."
        )
    if missing := {*OF_TEXT, "tokens"} - {*tables}:
        raise InputError(
            f"{shown(folder)} has no {min(missing)}.parquet, as this version writes: make the tables again."
        )
    quoted = " ".join(tables["tokens"]["token"].astype(str)) if quote else ""
    of = Tables("text", OF_TEXT, tables.__getitem__, provenance["unit"])
    return _report("One text", "A text read by a model", [of], provenance, quoted=quoted)


def of_comparison(tables: Mapping[str, pd.DataFrame], provenance: Mapping[str, Any]) -> Report:
    """A comparison, of its tables by name."""
    every = Tables("comparison", tuple(tables), tables.__getitem__)
    return _report(" and ".join(provenance["subjects"]), "A comparison", [every], provenance)


def of_run(run: Results, quote: bool) -> Report:
    """A study, or removed heads."""
    stored = [name.removesuffix(".parquet") for name in run.stored if name.endswith(".parquet")]
    names = [name for name in stored if quote or name not in QUOTING]
    said: list[str] = []
    parts = [Tables(run.kind, names, run.table)]
    if isinstance(run, Study):
        parts = list(_parts_of(run, names))
        said = [f"{', '.join(describe_origin(run))}.", *warnings_of(run)]
    elif isinstance(run, Ablation):
        said = [about(run), *answers(run)]
    provenance = {**run.provenance, "argv": run.manifest.get("argv")}
    return _report(f"{run.kind.capitalize()}: {run.folder.name}", "Over many texts", parts, provenance, said)


def _parts_of(study: Study, names: Sequence[str]) -> Iterator[Tables]:
    """Of each model, of a training the last step and then all, without baselines; and the list of subjects."""
    last = {subject.name: subject for subject in study.own}.values()
    own = [name for name in names if name not in OF_STUDY]
    for subject in last:
        table = partial(_of_subject, study.of(subject.name, subject.step))
        label = subject.label if len(last) > 1 or subject.step is not None else ""
        yield Tables("text", [name for name in own if len(table(name))], table, study.unit, label)
        if study.manifest["settings"]["every_setting"]:
            every = partial(_of_the_paper, study.of(subject.name, subject.step))
            yield Tables(EVERY_SETTING, ["claims"], every, study.unit, f"{subject.label}, every setting")
        if subject.step is not None:
            of_steps = [name for name in ("layers", "drift") if name in names]
            yield Tables(
                "training", of_steps, partial(study.steps, subject.name), study.unit, f"{subject.name}, all steps"
            )
    yield Tables("study", OF_STUDY[:1], study.table)


def _of_subject(tables: SubjectTables, name: str) -> pd.DataFrame:
    return tables.claims if name == "claims" else tables.table(name)


def _of_the_paper(tables: SubjectTables, _name: str) -> pd.DataFrame:
    """The claims under every setting of the measure that the paper fixes."""
    claims = tables.claims_by_setting
    return claims[claims["measure"] == PAPERS]


def _report(
    title: str, kind: str, parts: Sequence[Tables], about: Mapping[str, Any], said: Sequence[str] = (), quoted: str = ""
) -> Report:
    """The claims and figures of each part, all tables, what columns mean. about: the provenance."""
    tables = [(of, name, of[name]) for of in parts for name in of.names if name != "claims"]
    meanings = dict.fromkeys(point for one in tables for point in cells.meanings(*one))
    named, address = paper()
    argv = about.get("argv")
    command = shlex.join(["python", "-m", "attn_core", *argv]) if argv else ""
    points = (question(), f"The claims are those of {named}. {address}")
    return Report(
        title,
        kind,
        (
            Section("The question", paragraphs=tuple(said), points=points),
            *(section for of in parts if (section := _figures(of)).figures or section.tables),
            *([Section("The text", quoted=quoted)] if quoted else []),
            Section(
                "Tables", (PRINTED,), tables=tuple(cells.of_table(*one) for one in tables if len(one[2])), folded=True
            ),
            Section("Limits", LIMITS),
            Section("The command", () if command else (NO_COMMAND,), code=command),
            Section("Method: what the words mean", points=(*terms().values(), *meanings), folded=True),
            Section("What was read, and how", tables=(cells.of_provenance(about),), folded=True),
        ),
    )


def _figures(of: Tables) -> Section:
    """The claims, where there are some, and every figure."""
    claims = (cells.of_claims(of["claims"]),) if of.of == "text" and "claims" in of.names else ()
    return Section(of.subject or "Figures", figures=tuple(figures(of)), tables=claims)
