"""The folder of a study: the records of its subjects, and the study opened for reading.

subjects/NAME-0123abcd/     one subject
    subject.json            its record: the subject, its model, whether it is finished, or why it failed
    shards/000000/          its counts (see `shard_tables`)
    separated/shards/       with every_setting: counts of the same texts in another layout, for the claims alone
    ranks/shards/           the ranks of a step of a training, for the drift of its heads
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attn_core.displayed import Displayed
from attn_core.errors import InputError
from attn_core.io.atomic_files import write_file
from attn_core.io.paths import display_name, printable
from attn_core.models.files import COPIES
from attn_core.runs import folder as run_folder
from attn_core.runs.job import ModelFacts
from attn_core.runs.results import Results
from attn_core.similarity.words import Unit
from attn_core.study.settings import Variant, as_columns, layouts_of
from attn_core.study.subjects import Subject, from_facts, spec_named
from attn_core.texts.passages import Layout

SUBJECTS, RANKS = "subjects", "ranks"


@dataclass(frozen=True)
class Record:
    """A subject of a study and its state.

    number: its place in the order in which subjects were added, or in that of the tables, see `read_records`. model:
    None before it was loaded. shards: their number in each layout; None until it is finished. problem: the reason of a
    failure, or empty.
    """

    number: int
    subject: Subject
    model: ModelFacts | None = None
    shards: int | None = None
    problem: str = ""

    @property
    def finished(self) -> bool:
        return self.shards is not None and not self.problem

    @property
    def model_name(self) -> str:
        """The name of its model for exports, which stays when the model is gone."""
        return display_name((self.model and self.model.place) or self.subject.spec.name)

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads per layer), for a subject whose model was loaded."""
        assert self.model is not None
        return self.model.layers, self.model.heads

    @property
    def removed(self) -> np.ndarray:
        """Whether each head is one that the model lacks, which has no statistics, (layer, head) bool."""
        gone = np.zeros(self.shape, dtype=bool)
        for layer, head in self.model.removed if self.model else ():
            gone[layer, head] = True
        return gone

    def kept(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table with the columns layer and head without the rows of removed heads."""
        return table[~self.removed[table["layer"] - 1, table["head"] - 1]].reset_index(drop=True)


def subject_path(out: Path, subject: Subject) -> Path:
    return out / SUBJECTS / subject.slug


def layout_path(out: Path, subject: Subject, layout: Layout) -> Path:
    """The folder of the shards of a subject in a layout."""
    path = subject_path(out, subject)
    return path if layout == subject.layout else path / layout


def subject_of(record: Record) -> dict[str, Any]:
    """What the shards of a subject are of, beside what the manifest of the study says."""
    facts = record.subject.facts
    spec = {name: value for name, value in facts["spec"].items() if name not in ("name", "tokenizer", "revision")}
    model = {one.name: getattr(record.model, one.name) for one in fields(ModelFacts) if one.compare}
    return {**facts, "spec": spec, "model": model}


def shard_folders(out: Path, record: Record, every_setting: bool) -> list[Path]:
    """The folders of all shards of a subject: those of its layouts, and of the ranks of a step."""
    subject = record.subject
    ranks = [subject_path(out, subject) / RANKS] if subject.step is not None and not subject.of else []
    return [layout_path(out, subject, layout) for layout in layouts_of(subject.layout, every_setting)] + ranks


def write_record(out: Path, record: Record) -> None:
    write_file(subject_path(out, record.subject) / run_folder.RECORD, run_folder.to_json(record_facts(record)))


def record_facts(record: Record) -> dict[str, Any]:
    """A record as JSON data; `from_record_facts` reads it."""
    return asdict(record) | {"subject": record.subject.facts}


def subject_for_export(record: Record) -> dict[str, Any]:
    """A record as JSON data for exports, without the place of its model on this machine."""
    spec = replace(record.subject.spec, name=record.model_name)
    model = replace(record.model, name=str(spec), place="") if record.model else None
    return record_facts(replace(record, subject=replace(record.subject, spec=spec), model=model))


def from_record_facts(facts: Mapping[str, Any]) -> Record:
    """A record from its facts."""
    model = None if facts["model"] is None else ModelFacts(**facts["model"])
    return Record(**{**facts, "subject": from_facts(facts["subject"]), "model": model})


def read_record(path: Path) -> Record | None:
    """The record in the folder of a subject; None if it is missing. Raises DamagedError if it is damaged."""
    file = path / run_folder.RECORD
    if not os.path.lexists(file):
        return None
    with suppress(LookupError, TypeError, ValueError, AttributeError):
        record = from_record_facts(run_folder.read_json(file) or {})
        if record.subject.slug == path.name and (record.model or not record.finished):
            return record
    raise run_folder.DamagedError(
        f"{printable(file)} is damaged: the command that counted this subject makes it again."
    )


def records_as_added(out: Path) -> list[Record]:
    """The records of all subjects of a study in the order in which they were added."""
    found = (read_record(file.parent) for file in (out / SUBJECTS).glob(f"*/{run_folder.RECORD}"))
    return sorted(filter(None, found), key=lambda record: record.number)


def read_records(out: Path) -> list[Record]:
    """The records of all subjects of a study as its tables have them, which do not tell when a step was added.

    Models and trainings are numbered in the order in which they were added, the steps of a training in their own, each
    followed by its baselines, and the last step by the untrained copies of all, which have the name of the training.
    """
    found = records_as_added(out)
    names = [record.subject.training for record in found]

    def place(record: Record) -> tuple[object, ...]:
        one = record.subject
        return names.index(one.training), inf if one.step is None else one.step, bool(one.of), record.number

    trainings = {record.subject.name for record in found if record.subject.step is not None}
    records = [replace(record, number=number) for number, record in enumerate(sorted(found, key=place))]
    return [
        _of_all_steps(one) if one.subject.training in trainings and one.subject.step is None else one for one in records
    ]


def _of_all_steps(record: Record) -> Record:
    """The record of an untrained copy that the steps of a training share, without the name of one of them."""
    spec = replace(record.subject.spec, name=spec_named(record.subject.of).name, revision=None)
    model = replace(record.model, place="") if record.model else None
    return replace(record, subject=replace(record.subject, spec=spec), model=model)


class Study(Results, Displayed):
    """A finished study: its subjects, their tables and the claims.

    >>> from importlib.resources import files
    >>> study = attn_core.Study.open(str(files("attn_core.study") / "sample" / "from-noise"))
    >>> study.claims.query("effect == 'same_sentence_beyond_distance'")["verdict"].tolist()[-1]  # of the last step
    'contradicted'
    """

    kind = "study"

    @cached_property
    def records(self) -> list[Record]:
        """The record of each subject; in a study without shards, or with a damaged record, from its provenance."""
        with suppress(run_folder.DamagedError):
            if found := read_records(self.folder):
                return found
        return [from_record_facts(facts) for facts in self.provenance["subjects"]]

    @property
    def subjects(self) -> list[Subject]:
        """The finished subjects, in the order in which they were added."""
        return [record.subject for record in self.records if record.finished]

    @property
    def own(self) -> list[Subject]:
        """The finished subjects that are not baselines."""
        return [subject for subject in self.subjects if not subject.of]

    @cached_property
    def first_copies(self) -> list[Subject]:
        """The copies of the first seed of each kind, of a training at every step."""
        seeds: dict[tuple[str, str], int] = {}
        every = [(one, *one.spec.copy) for one in self.subjects if one.of and one.spec.copy]
        return [one for one, kind, seed in every if seeds.setdefault((one.of, kind), seed) == seed]

    @property
    def claims(self) -> pd.DataFrame:
        """The claims, a row per subject, setting and claim."""
        return self.table("claims")

    @property
    def unit(self) -> Unit:
        """The unit of pairs: tokens or words."""
        return self.manifest["settings"]["unit"]

    def of(self, name: str | None = None, step: int | None = None) -> "SubjectTables":
        """The tables of a subject, by default of the first. Raises InputError if the study has no such subject."""
        records = [record for record in self.records if record.finished]
        if name is not None:
            records = [one for one in records if (one.subject.name, one.subject.step) == (name, step)]
        if not records:
            raise InputError(f"{printable(self.folder)} has no finished subject {printable(name or '')}".rstrip() + ".")
        return SubjectTables(self, records[0])

    def steps(self, name: str, table: str) -> pd.DataFrame:
        """A table of all steps of a training, with the column step. name: the name of the training."""
        rows = self.table(table)
        rows = rows[(rows["subject"] == name) & rows["step"].notna()].drop(columns="subject")
        return rows.astype({"step": int}).reset_index(drop=True)

    def copies_by_step(self, name: str, table: str) -> dict[str, pd.DataFrame]:
        """A table of the first copy of each kind at every step of a training, by kind. name: of the training."""
        every = [one.step for one in self.own if one.name == name and one.step is not None]
        parts: dict[str, list[pd.DataFrame]] = {kind: [] for kind in COPIES.values()}
        for one in self.first_copies:
            if one.of == name and one.spec.copy:
                rows = self.of(one.name, one.step).table(table)
                steps = every if one.step is None else [one.step]  # an untrained copy is that of all steps
                parts[COPIES[one.spec.copy[0]]] += [rows.assign(step=step) for step in steps]
        return {kind: pd.concat(tables, ignore_index=True) for kind, tables in parts.items() if tables}


@dataclass(frozen=True, eq=False)
class SubjectTables:
    """The tables of a subject: those of `analysis.Analysis`, over all texts, with intervals."""

    study: Study
    record: Record
    _tables: dict[str, pd.DataFrame] = field(default_factory=dict)  # those that were read

    @property
    def subject(self) -> Subject:
        return self.record.subject

    @property
    def shape(self) -> tuple[int, int]:
        """(layers, heads per layer)."""
        return self.record.shape

    @property
    def unit(self) -> Unit:
        """The unit of pairs: tokens or words."""
        return self.study.unit

    def has(self, name: str) -> bool:
        """Whether a table of that name has rows of the subject."""
        return self.study.has(name) and len(self.table(name)) > 0

    def table(self, name: str) -> pd.DataFrame:
        """A table by name, without the columns subject and step. Raises InputError if there is none."""
        if name not in self._tables:
            self._tables[name] = self._rows(name).drop(columns=["subject", "step"]).reset_index(drop=True)
        return self._tables[name]

    @property
    def heads(self) -> pd.DataFrame:
        return self.table("heads")

    @property
    def layers(self) -> pd.DataFrame:
        return self.table("layers")

    @property
    def copies(self) -> dict[str, "SubjectTables"]:
        """The first copy of each kind of the subject, by name."""
        first = {one.baseline: one for one in self.study.first_copies if one.serves(self.subject)}
        return {
            name: self.study.of(first[kind].name, first[kind].step) for kind, name in COPIES.items() if kind in first
        }

    @cached_property
    def claims(self) -> pd.DataFrame:
        """The claims under the settings of the study, see `claims_table`."""
        settings, table = self.study.manifest["settings"], self.table("claims")
        variant = Variant(*(settings[name] for name in ("measure", "share", "with_special", "unit")))
        own = as_columns(variant, self.subject.layout)
        return table[(table[list(own)] == pd.Series(own)).all(axis=1)].reset_index(drop=True)

    @property
    def claims_by_setting(self) -> pd.DataFrame:
        """The claims under every setting that was counted, with the columns subject and step."""
        return self._rows("claims").reset_index(drop=True)

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """The facts that reproduce the numbers."""
        (row,) = self._rows("subjects").to_dict("records")
        return {**self.study.provenance, **row}

    def _rows(self, name: str) -> pd.DataFrame:
        table = self.study.table(name)
        step = table["step"].isna() if self.subject.step is None else table["step"] == self.subject.step
        return table[(table["subject"] == self.subject.name) & step.fillna(False)]
