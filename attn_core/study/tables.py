"""The tables of a study: the concatenated tables of its subjects, the claims, and the list of subjects."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from attn_core.io.exports import table_files
from attn_core.patterns.pooled_scores import pooled_relations
from attn_core.study.by_text import Texts, read_texts, text_table
from attn_core.study.claims import ByLayout, claims_table, effects_by_layout
from attn_core.study.drift import alike, drift_table, read_ranks, unlike_steps
from attn_core.study.opened import Record, read_records, subject_for_export, subject_path
from attn_core.study.pooled import entropy_table, pooled_tables, size_of
from attn_core.study.settings import StudySettings
from attn_core.study.subjects import Subject
from attn_core.study.sums import Map, Sums, read_sums
from attn_core.study.text_roles import role_tables
from attn_core.study.text_sources import source_tables

# The tables with rows for baselines.
OF_BASELINES = (
    "heads", "layers", "distance_bins", "kinds", "bad_texts", "entropies", "relations", "joined", "texts",
    "text_roles", "role_agreement", "sources", "source_excess",
)  # fmt: skip


def study_files(out: Path, manifest: Mapping[str, Any], settings: StudySettings, work: Map = map) -> dict[str, bytes]:
    """The files of all tables by name: CSV and Parquet, with the provenance. work: how shards are added up.

    The columns subject and step stand before those of the tables of a text.
    subjects: a row per subject, with its numbers of texts and windows, and its problem. claims: see `claims_table`.
    """
    records = read_records(out)
    grouped = bool(manifest["corpus"]["groups"])
    parts: dict[str, list[pd.DataFrame]] = {}
    # The steps of a training come in order: the last has statistics by text and head, as a model has.
    last = {record.subject.name: record for record in records if record.finished and not record.subject.of}
    rows, effects, unlike = [], dict[Subject, ByLayout](), unlike_steps(records)
    for record in records:
        size: dict[str, int] = {}
        if record.finished:
            path = subject_path(out, record.subject)
            texts = read_texts(path)
            by_head, size = record is last.get(record.subject.name), size_of(texts, grouped)
            sums = read_sums(path, record, texts, by_head, work)
            tally = sums.counts.tally if sums.counts else None
            effects[record.subject] = effects_by_layout(out, record, settings, texts, tally, work)
            for name, table in _of_subject(path, record, sums, texts).items():
                parts.setdefault(name, []).append(with_keys(table, record.subject))
        rows.append(_subject_row(record) | {"unlike": unlike.get(record.subject, "")} | size)
    subjects = pd.DataFrame(rows)
    whole = (
        "step", "seed", "layers", "heads", "texts", "windows", "short_windows", "groups", "bad_texts",
        "assumed_encodings",
    )  # fmt: skip
    subjects = subjects.astype({name: "Int64" for name in whole if name in subjects})
    parts |= {"drift": drifts} if (drifts := list(_drift(out, records))) else {}
    together = {name: pd.concat(frames, ignore_index=True) for name, frames in parts.items()}
    tables = {"subjects": subjects, "claims": claims_table(effects, unlike), **together}
    return table_files(tables, provenance_of(manifest, records))


def _of_subject(path: Path, record: Record, sums: Sums, texts: Texts) -> dict[str, pd.DataFrame]:
    """The tables of a subject by name; a baseline has fewer."""
    tables = pooled_tables(sums.counts, texts) if sums.counts else {}
    tables |= {"bad_texts": texts.bad, "texts": text_table(texts, sums.effects)}
    tables |= pooled_relations(path, record.removed) | role_tables(path, record) | source_tables(path)
    others = {"text_heads": sums.of_heads, "examples": sums.examples, "entropies": entropy_table(path)}
    tables |= {name: one for name, one in others.items() if len(one)}
    return {name: table for name, table in tables.items() if name in OF_BASELINES or not record.subject.of}


def _drift(out: Path, records: Sequence[Record]) -> Iterator[pd.DataFrame]:
    """The drift tables of all trainings, of the steps that are alike."""
    for name in dict.fromkeys(record.subject.name for record in records if record.subject.step is not None):
        if steps := alike(records, name):
            ranks = [read_ranks(subject_path(out, one.subject)) for one in steps]
            table = steps[-1].kept(drift_table([one.subject.step or 0 for one in steps], ranks))
            yield table.assign(subject=name).astype({"step": "Int64"})[["subject", *table.columns]]


def with_keys(table: pd.DataFrame, subject: Subject) -> pd.DataFrame:
    """The table of a subject with the columns subject and step added."""
    step = pd.array([subject.step] * len(table), dtype="Int64")
    keys = pd.DataFrame({"subject": subject.name, "step": step}, index=table.index)
    return pd.concat([keys, table], axis=1)


def provenance_of(manifest: Mapping[str, Any], records: Sequence[Record]) -> dict[str, Any]:
    """The facts that reproduce the numbers."""
    return {
        "corpus_sha256": manifest["corpus"]["fingerprint"],
        **manifest["settings"],
        "subjects": [subject_for_export(record) for record in records],
    }


def _subject_row(record: Record) -> dict[str, Any]:
    subject, model = record.subject, record.model
    spec = subject.spec
    return {
        "subject": subject.name, "step": subject.step, "of": subject.of, "baseline": subject.baseline or "",
        "model": record.model_name, "revision": model.revision if model else spec.revision,
        "seed": spec.copy[1] if spec.copy else subject.seed if subject.baseline else None, "stack": spec.stack,
        "window_tokens": model.max_tokens if model else None,
        "without": ", ".join(map(str, spec.ablation.heads)) if spec.ablation else "", "layout": subject.layout,
        "layers": model.layers if model else None, "heads": model.heads if model else None, "problem": record.problem,
    }  # fmt: skip
