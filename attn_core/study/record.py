"""The records of the subjects of a study, and the folders of their shards.

subjects/NAME-0123abcd/     a subject
    subject.json            its record: the subject, its model, whether it is finished, or why it failed
    shards/000000/          its counts (see `shard_tables`)
    separated/shards/       under every setting: the same texts in another layout, for the claims alone
    ranks/shards/           of a step of a training, for the drift of its heads
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from attn_core.io.atomic_files import write_file
from attn_core.io.paths import called
from attn_core.runs import folder as files
from attn_core.runs.job import ModelFacts
from attn_core.study.subjects import Subject, from_facts
from attn_core.texts.passages import Layout

SUBJECTS, RECORD = "subjects", "subject.json"


@dataclass(frozen=True)
class Record:
    """A subject of a study and its state.

    number: its place in the order in which subjects were added. model: None before it was loaded. shards: their number
    in each layout; None while it is not finished. problem: the reason of a failure, or empty.
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
    def shape(self) -> tuple[int, int]:
        """(layers, heads a layer). Of a subject whose model was loaded."""
        assert self.model is not None
        return self.model.layers, self.model.heads


def subject_path(out: Path, subject: Subject) -> Path:
    return out / SUBJECTS / subject.slug


def layout_path(out: Path, subject: Subject, layout: Layout) -> Path:
    """The folder of the shards of a subject in a layout."""
    path = subject_path(out, subject)
    return path if layout == subject.layout else path / layout


def write_record(out: Path, record: Record) -> None:
    write_file(subject_path(out, record.subject) / RECORD, files.to_json(record_facts(record)))


def record_facts(record: Record) -> dict[str, Any]:
    """A record as data; `from_record_facts` reads it."""
    model = asdict(record.model) if record.model else None
    return {**asdict(record), "subject": record.subject.facts, "model": model}


def facts_to_hand_on(record: Record) -> dict[str, Any]:
    """A record as data, without the place of its model on this machine."""
    subject = replace(record.subject, spec=replace(record.subject.spec, name=called(record.subject.spec.name)))
    model = replace(record.model, place="") if record.model else None
    return record_facts(replace(record, subject=subject, model=model))


def from_record_facts(facts: Mapping[str, Any]) -> Record:
    """A record from its facts."""
    model = None if facts["model"] is None else ModelFacts(**facts["model"])
    return Record(**{**facts, "subject": from_facts(facts["subject"]), "model": model})


def read_record(path: Path) -> Record | None:
    """The record in the folder of a subject; None where there is none, or a damaged one."""
    facts = files.read_json(path / RECORD)
    return None if facts is None else from_record_facts(facts)


def read_records(out: Path) -> list[Record]:
    """All subjects of a study in the order in which they were added."""
    found = (read_record(file.parent) for file in (out / SUBJECTS).glob(f"*/{RECORD}"))
    return sorted(filter(None, found), key=lambda record: record.number)
