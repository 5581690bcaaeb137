"""The steps of a study: count the missing shards of each subject, then make the tables of all subjects.

    run_study(Corpus("novels/"), with_baselines([ModelSpec()], CONTROLS), Path("studies/novels"))

Subjects may be added to the folder later. If a subject fails, its record keeps the reason, and the other subjects are
counted; the next run tries it again. `runs.run` describes how a study is resumed.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from attn_core.errors import InputError, RunCancelled, RunError, check_type
from attn_core.io.paths import display_name, printable
from attn_core.models.files import ModelSpec, is_available_offline
from attn_core.runs import folder as run_folder
from attn_core.runs.job import RunModel
from attn_core.runs.run import ALONE, Run, Workers, open_run_folder
from attn_core.study import drift
from attn_core.study.corpus import Corpus, beginnings, shards
from attn_core.study.opened import (
    Record,
    Study,
    layout_path,
    read_record,
    read_records,
    records_as_added,
    shard_folders,
    subject_for_export,
    subject_of,
    subject_path,
    write_record,
)
from attn_core.study.settings import DEFAULT, Job, StudySettings, definitions, layouts_of
from attn_core.study.subjects import Subject, refuse_twice, with_baselines
from attn_core.study.tables import study_files
from attn_core.study.worker import count_shard
from attn_core.texts.passages import Layout


def run_study(
    corpus: Corpus,
    subjects: Sequence[Subject] | ModelSpec,
    out: Path,
    settings: StudySettings = DEFAULT,
    workers: Workers = ALONE,
) -> Study:
    """The finished study, after its missing shards were counted and its tables made.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> _ = (folder / "tide.txt").write_text(text + " " + text, encoding="utf-8")
    >>> study = attn_core.run_study(attn_core.Corpus(str(folder / "tide.txt")), model.spec, folder / "study")
    >>> study.of().heads["mean_distance"].size  # a row a head
    72

    Parameters
    ----------
    corpus: the texts.
    subjects: models, their baselines (see `with_baselines`) and steps of trainings; or one model.
    out: the folder of the study, new, empty, or that of this study, which goes on where it was.
    settings: of the analysis and of the study.
    workers: by default this process; see `runs.run.Workers`.

    Raises InputError if the study cannot begin or continue; finished shards are kept.
    """
    if isinstance(subjects, ModelSpec):
        subjects = with_baselines([subjects])
    check_type(corpus, Corpus, "The corpus of a study")
    for subject in subjects:
        check_type(subject, Subject, "A subject of a study")
    refuse_twice(subjects)
    with open_run_folder(run_folder.KINDS["study"], out, workers) as run:
        corpus.check(out)
        run.check_manifest(corpus=corpus.identity(), settings=settings.by_name(), counts=definitions())
        _StudyRun(run, out, corpus, settings, len(subjects) > 1).all(subjects)
        records = read_records(out)
        for record in filter(lambda record: record.finished, records):
            for folder in shard_folders(out, record, settings.every_setting):
                run.add_counted(folder, subject_of(record))
        now = json.dumps([subject_for_export(record) for record in records])
        if not run.pooled or Study.open(out).provenance["subjects"] != json.loads(now):
            run.pool(lambda: study_files(out, run.manifest, settings, run.map))
    return Study.open(out)


class _AnotherModelError(RunError):
    """The model of a subject has changed."""


@dataclass(frozen=True, eq=False)
class _StudyRun:
    """The counting of subjects, one after another."""

    run: Run
    out: Path
    corpus: Corpus
    settings: StudySettings
    several: bool

    def all(self, subjects: Sequence[Subject]) -> None:
        """Count all subjects. Raises RunError if all fail."""
        failed: dict[ModelSpec, str] = {}
        for path in (subject_path(self.out, subject) for subject in subjects):
            try:
                read_record(path)
            except run_folder.DamagedError:  # all that it says is made again
                (path / run_folder.RECORD).unlink()
        for number, given in enumerate(subjects):
            subject = self._as_most_steps(given)
            known = read_record(subject_path(self.out, subject))
            if known and known.model and known.subject.layout != subject.layout:
                raise RunError(
                    f"{printable(self.out)} has counts of {printable(subject.label)} in layout {known.subject.layout}: "
                    "choose a new folder."
                )
            taken = {record.number for record in records_as_added(self.out)}
            new = Record(min({*range(len(taken) + 1)} - taken), subject)
            record = replace(known, subject=subject) if known else new
            own = replace(subject.spec, copy=None)
            if own not in failed:
                try:
                    self._count(record, number / len(subjects), 1 / len(subjects))
                    continue
                except (RunCancelled, run_folder.DamagedError, _AnotherModelError):
                    raise
                except InputError as error:
                    name = display_name(own.name)
                    failed[own] = str(error).replace(own.place, name).replace(own.name, name)
                    if len(subjects) == 1:
                        raise
            if not record.finished:  # what was counted stays after its model is gone
                self._keep(replace(record, problem=failed[own]))
        self._forget_failed_steps(subjects)
        if not any(record.finished for record in read_records(self.out)):
            raise RunError(next(iter(failed.values())))

    def _as_most_steps(self, subject: Subject) -> Subject:
        """The subject; if it is an untrained copy that steps share, a copy of the last of those that are alike."""
        if subject.step is None and subject.of:
            for step in reversed(drift.alike(read_records(self.out), subject.of)):
                if is_available_offline(step.subject.spec):
                    return replace(subject, spec=replace(step.subject.spec, copy=subject.spec.copy))
        return subject

    def _forget_failed_steps(self, subjects: Sequence[Subject]) -> None:
        """Remove the records of steps that could not be loaded and that their training has no more."""
        now = {(one.name, one.step) for one in subjects}
        trainings = {one.training for one in subjects}
        for record in read_records(self.out):
            one, gone = record.subject, (record.subject.name, record.subject.step) not in now
            if record.model is None and one.step is not None and one.training in trainings and gone:
                run_folder.remove(subject_path(self.out, one))

    def _count(self, record: Record, done: float, part: float) -> None:
        """Count the missing shards of a subject. done, part: the share of all work before it, and its own share."""
        subject, facts = record.subject, record.model
        model = self.run.model(subject.spec)
        copies = subject.of and subject.baseline == "untrained"  # counted again where most steps changed
        if facts is not None and facts != model.facts and not copies:
            raise _AnotherModelError(
                f"{printable(self.out)} has counts of another {printable(subject.label)}: weights, tokenizer or "
                "device have changed, so choose a new folder."
            )
        shards = record.shards if facts == model.facts else None
        record = replace(record, model=model.facts, shards=shards, problem="")
        self._keep(record)
        layouts = layouts_of(subject.layout, self.settings.every_setting)
        of, counted = subject_of(record), 0
        for at, layout in enumerate(layouts):
            self.run.reporter.begin(subject.label if self.several else "")
            path = layout_path(self.out, subject, layout)
            jobs = self._jobs(model, subject, layout, done + part * at / len(layouts), part / len(layouts))
            counted = self.run.count_missing_shards(count_shard, jobs, path, of)
            if not counted:
                raise RunError(f"There is no text at {printable(self.corpus.source)}: every file is empty.")
        if subject.step is not None and not subject.of:
            ranks = Job(drift.beginnings(self.corpus), model, self.settings, subject.layout)
            self.run.count_missing_shards(
                drift.rank_windows, [ranks], subject_path(self.out, subject) / drift.PLACE, of
            )
        self._keep(replace(record, shards=counted))

    def _jobs(self, model: RunModel, subject: Subject, layout: Layout, done: float, part: float) -> Iterator[Job]:
        texts = self.corpus.texts()
        if self.settings.windows is not None:
            texts = beginnings(texts, self.settings.windows)
        for shard in shards(texts, self.settings.shard_characters):
            shard = replace(shard, done=done + part * shard.done)
            in_full = layout == subject.layout
            with_examples = in_full and not subject.of
            yield Job(shard, model, self.settings, layout, subject.seed, in_full, with_examples)

    def _keep(self, record: Record) -> None:
        if read_record(subject_path(self.out, record.subject)) != record:
            write_record(self.out, record)
