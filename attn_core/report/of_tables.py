"""The report of a text, or of what a command has written into a folder: of tables, whatever they are of.

Which figures are drawn, the tables' names say (`registry.REGISTERED`); what columns mean, their dictionary.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from attn_core.analysis.one_text import Analysis
from attn_core.charts.paper import drawing
from attn_core.charts.registry import Tables
from attn_core.columns.dictionary import Source, paper, question, terms
from attn_core.errors import InputError, cause
from attn_core.interventions.opened import Ablation, answers
from attn_core.io.paths import shown, without_places
from attn_core.io.table_folder import checked_provenance
from attn_core.report import cells
from attn_core.report.document import Figure, Report, Section, Table
from attn_core.report.figures import figures
from attn_core.runs.kinds import KINDS
from attn_core.runs.results import Results, open_run
from attn_core.study.in_words import origin_in_words, warnings_of
from attn_core.study.opened import Study, SubjectTables

OF_TEXT = (
    "heads",
    "layers",
    "distance_bins",
    "kinds",
    "anchors",
)  # the tables of a text that are no quotation, nor long
OF_STUDY = ("subjects", "drift")  # of all subjects together
QUOTING = ("tokens", "pairs", "attention", "examples", "relation_examples", "segments")
WIDTH = 452  # pixels: half a page of A4
LIMITS = (
    "The paper's threshold, its corpus and its treatment of special tokens are not known to us: the share of pairs and the "
    "thresholds of the verdicts are our choices. Other choices may turn a verdict.",
    "Structure alone brings about much: whether something is learned, only a comparison with copies of the model tells.",
    "One text is an anecdote. The intervals of a study are over its texts: other kinds of texts may say otherwise.",
)
NO_COMMAND = "No command is kept: these tables were made from Python, or on a page."
PRINTED = f"In brackets stand 95% intervals, in parentheses chance levels; of a table at most {cells.ROWS} rows."


@dataclass(frozen=True)
class Part:
    """Tables of one subject, or of all. source: as their dictionary calls it. name: of the subject, where there are several."""

    of: Tables
    source: Source
    name: str = ""


def of_text(analysis: Analysis, title: str | None, quoted: str = "", argv: Sequence[str] | None = None) -> Report:
    """One text. title: its name, None where its name would quote it; quoted: the text, where the reader wants it here."""
    part = Part(Tables("text", OF_TEXT, partial(getattr, analysis), analysis.unit), "text")
    return _report(
        title or "One text",
        "A text read by a model",
        [part],
        {**analysis.provenance, "argv": without_places(argv or ())},
        quoted=quoted,
    )


def of_folder(folder: Path, quote: bool) -> Report:
    """What a command has written into a folder. quote: whether texts may be quoted.

    Raises InputError for a folder that is none of these, is not finished, or of which a file is damaged.
    """
    if run := open_run(folder):
        return of_run(run, quote)
    provenance = checked_provenance(folder)
    table = partial(_read, folder)
    if "subjects" in provenance:
        names = [file.removesuffix(".parquet") for file in provenance["files"] if file.endswith(".parquet")]
        return of_comparison({name: table(name) for name in names}, provenance)
    if "text_sha256" not in provenance:
        raise InputError(
            f"{shown(folder)} holds nothing that a report is made of: name a text file, or a folder that `study`, "
            "`analyze --out`, `compare --out` or `ablate` has written."
        )
    part = Part(Tables("text", (*OF_TEXT, *(QUOTING[:1] if quote else ())), table, provenance["unit"]), "text")
    quoted = " ".join(table("tokens")["token"].astype(str)) if quote else ""
    return _report("One text", "A text read by a model", [part], provenance, quoted=quoted)


def of_comparison(tables: Mapping[str, pd.DataFrame], provenance: Mapping[str, Any]) -> Report:
    """A comparison, of its tables by name."""
    part = Part(Tables("comparison", tuple(tables), tables.__getitem__), "comparison")
    return _report(" and ".join(provenance["subjects"]), "A comparison", [part], provenance)


def of_run(run: Results, quote: bool) -> Report:
    """A study, or removed heads."""
    stored = [name.removesuffix(".parquet") for name in run.stored if name.endswith(".parquet")]
    names = [name for name in stored if quote or name not in QUOTING]
    said: list[str] = []
    if isinstance(run, Study):
        parts = list(_parts_of(run, names))
        said = [f"{', '.join(origin_in_words(run))}.", *warnings_of(run)]
    else:
        parts = [Part(Tables(run.kind, names, run.table), "ablation")]
        said = list(answers(run)) if isinstance(run, Ablation) else []
    what = KINDS[run.kind].what
    provenance = {**run.provenance, "argv": run.manifest.get("argv")}
    return _report(run.folder.name, what[0].upper() + what[1:], parts, provenance, said)


def _parts_of(study: Study, names: Sequence[str]) -> Iterator[Part]:
    """Of each model, of a training the last step, without its baselines; then all steps of each training, and all subjects."""
    last = {subject.name: subject for subject in study.own}.values()
    own = [name for name in names if name not in OF_STUDY]
    for subject in last:
        table = partial(_of_subject, study.of(subject.name, subject.step))
        names = [name for name in own if len(table(name))]
        yield Part(Tables("text", names, table, study.unit), "study", subject.label if len(last) > 1 else "")
    for subject in last:
        if subject.step is not None:
            steps = partial(_steps, study, subject.name)
            yield Part(
                Tables("training", ("layers", "drift"), steps, study.unit), "study", f"{subject.name}, all steps"
            )
    yield Part(Tables("study", OF_STUDY[:1], study.table), "study")


def _of_subject(tables: SubjectTables, name: str) -> pd.DataFrame:
    return tables.claims if name == "claims" else tables.table(name)


def _steps(study: Study, subject: str, name: str) -> pd.DataFrame:
    rows = study.table(name)
    return rows[rows["subject"] == subject].drop(columns="subject").astype({"step": int}).reset_index(drop=True)


def _read(folder: Path, name: str) -> pd.DataFrame:
    try:
        return pd.read_parquet(folder / f"{name}.parquet")
    except FileNotFoundError:
        raise InputError(
            f"{shown(folder)} has no {name}.parquet, which this program writes now: make the tables again."
        ) from None
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(
            f"{shown(folder / f'{name}.parquet')} cannot be read ({cause(error)}): make the tables again."
        ) from None


def _report(
    title: str,
    kind: str,
    parts: Sequence[Part],
    provenance: Mapping[str, Any],
    said: Sequence[str] = (),
    quoted: str = "",
) -> Report:
    """The parts in their order: claims and figures of each, all tables, what their columns mean, and where they come from."""
    tables = tuple(_tables(parts))
    named, address = paper()
    argv = provenance.get("argv")
    command = shlex.join(["python", "-m", "attn_core", *argv]) if argv else ""
    return Report(
        title,
        kind,
        (
            Section(
                "The question", points=(question(), f"The claims are those of {named}. {address}"), told=tuple(said)
            ),
            *(section for part in parts if (section := _figures(part)).figures or section.tables),
            *([Section("The text", quoted=quoted)] if quoted else []),
            Section("Tables", told=(PRINTED,), tables=tables, folded=True),
            Section("Limits", told=LIMITS),
            Section("The command", told=() if command else (NO_COMMAND,), code=command),
            Section("Method: what the words mean", points=tuple(_meanings(parts)), folded=True),
            Section("What was read, and how", tables=tuple(_origins(provenance)), folded=True),
        ),
    )


def _figures(part: Part) -> Section:
    """The claims, where there are some, and every figure."""
    claims = (cells.of_claims(part.of["claims"]),) if "claims" in part.of.names else ()
    drawn = tuple(
        Figure(one.title, one.reading, str(one.chart.description), drawing(one.chart, WIDTH), half=True)
        for one in figures(part.of)
    )
    return Section(part.name or "Figures", figures=drawn, tables=claims)


def _tables(parts: Sequence[Part]) -> Iterator[Table]:
    for part in parts:
        about = f"{part.name}: " if part.name else ""
        for name in part.of.names:
            if name != "claims" and len(table := part.of[name]):
                yield cells.of_table(name, table, part.source, about)


def _meanings(parts: Sequence[Part]) -> Iterator[str]:
    every = [
        point for part in parts for name in part.of.names for point in cells.meanings(name, part.of[name], part.source)
    ]
    yield from (*terms().values(), *dict.fromkeys(every))


def _origins(provenance: Mapping[str, Any]) -> Iterator[Table]:
    yield cells.of_provenance(provenance)
    if isinstance(subjects := provenance.get("subjects"), Mapping):
        for name, about in subjects.items():
            yield cells.of_provenance(about, f"Where the numbers of {name} come from")
