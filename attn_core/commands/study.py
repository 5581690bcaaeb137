"""The command `study`. Large libraries are imported only when it runs."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attn_core.commands.options import (
    ALSO,
    CONTROL_HELP,
    CORPUS,
    PAIRS,
    add_options,
    chosen_settings,
    describe_controls,
    fetched,
    from_zero,
    named,
    path,
    positive,
    say_encodings,
)
from attn_core.commands.workers import add_workers, choose_workers, with_workers
from attn_core.errors import InputError, ModelError
from attn_core.io.paths import printable
from attn_core.models.files import DEFAULT

if TYPE_CHECKING:
    from attn_core.study.corpus import Corpus
    from attn_core.study.opened import Study
    from attn_core.study.settings import StudySettings
    from attn_core.study.subjects import Subject

TEXTS = (
    "a folder, a glob in quotes, a .txt, .md, .jsonl, .csv or .parquet file, or annotated texts (.conllu, GAP's .tsv)"
)
RULES = (  # of patterns/rules.py
    "same_word, other_form, brackets, pronoun_and_name, names, punctuation, numbers, negations, often_together"
)
MODELS = (
    "hub ids or folders, or 'default' (BERT where it is cached, MiniLM otherwise); after a + a copy with its seed "
    "(MODEL+untrained:7, MODEL+shuffled_weights:7), another stack of an encoder-decoder (MODEL+decoder, MODEL+cross), "
    "other windows (MODEL+window:256), or the model without some heads (MODEL+without:L3H10,L5H1:zero)"
)


def add_command(commands: Any) -> None:
    """Add `study` to the subcommands of a parser."""
    study = commands.add_parser(
        "study",
        help="analyse a whole corpus with models, their baselines and training steps: tables with 95%% intervals",
        description="Subjects may be added to the folder of a study later, with the same texts and settings.",
    )
    study.add_argument("texts", help=TEXTS)
    where = "folder of the study (default: studies/TEXTS-MODEL); the same command goes on in it"
    study.add_argument("--out", type=path, help=where)
    study.add_argument("--models", nargs="+", type=named, metavar="MODEL", default=[DEFAULT], help=MODELS)
    steps = study.add_mutually_exclusive_group()
    steps.add_argument("--revisions", nargs="+", metavar="REVISION", help="training steps of the one model, of the hub")
    steps.add_argument(
        "--checkpoints", nargs="+", type=path, metavar="RUN", help="trainings: the checkpoint-* folders in each folder"
    )
    study.add_argument(
        "--steps",
        nargs="+",
        type=from_zero,
        metavar="STEP",
        help="only these steps of --checkpoints; or the steps of --revisions whose names do not tell them",
    )
    baselines = f"also count these baselines of every model (default: none). {describe_controls(CONTROL_HELP)}"
    study.add_argument("--controls", nargs="*", choices=CONTROL_HELP, default=(), metavar="CONTROL", help=baselines)
    study.add_argument("--seeds", type=positive, default=3, help="baselines of each kind (default: 3)")
    add_options(study, *ALSO)
    scored = f"also score pairs of words: {RULES}"
    study.add_argument("--rule", action="append", default=[], metavar="RULE", help=scored)
    add_options(study, "windows")
    study.add_argument("--download", action="store_true", help="fetch models from the hub that are not here")
    add_options(study, "window_tokens", *CORPUS, *PAIRS)
    add_workers(study)
    add_options(study, "shard_characters")
    study.set_defaults(run=run_study_command)


def chosen_corpus(options: argparse.Namespace) -> "Corpus":
    """The corpus of the options, checked; files that it leaves out are said on standard error."""
    from attn_core.study.corpus import Corpus

    corpus = Corpus(options.texts, options.column, options.documents, options.limit, options.groups)
    corpus.check(options.out)
    if corpus.left_out:
        print(corpus.left_out, file=sys.stderr)
    return corpus


def chosen_subjects(options: argparse.Namespace) -> "list[Subject]":
    """The models or training steps with their baselines; models are downloaded first if --download is given."""
    from attn_core.study.subjects import from_checkpoints, from_revisions, spec_named, with_baselines

    specs = [spec_named(name, window_tokens=options.window_tokens) for name in options.models]
    if options.revisions is None and options.checkpoints is None:
        if options.steps:
            raise InputError("--steps goes with --checkpoints or --revisions.")
        specs = [fetched(spec, options.download) for spec in specs]
        return with_baselines(specs, options.controls, options.seeds, options.layout)
    if len(specs) > 1:
        raise InputError("Steps are those of one model: name one with --models.")
    if options.checkpoints is not None:
        runs = [from_checkpoints(run, specs[0], options.layout, options.steps) for run in options.checkpoints]
        if len({run[0].name for run in runs}) < len(runs):
            raise InputError("Two of the trainings have the same name: rename the folder of one.")
        steps = [step for run in runs for step in run]
    else:
        steps = from_revisions(specs[0], options.revisions, options.steps, options.layout)
        for step in steps:
            fetched(step.spec, options.download)
    return with_baselines(steps, options.controls, options.seeds)


def chosen_study(options: argparse.Namespace, corpus: "Corpus") -> "StudySettings":
    """The settings of the study in the options."""
    from attn_core.study.corpus import sensible_size
    from attn_core.study.settings import StudySettings

    rules, size = tuple(dict.fromkeys(options.rule)), options.shard_characters or sensible_size(corpus)
    same = {name: getattr(options, name) for name in (*ALSO, "language", "unit", "windows")}
    return StudySettings(chosen_settings(options), rules=rules, shard_characters=size, **same)


def run_study_command(options: argparse.Namespace) -> None:
    """Run `python -m attn_core study TEXTS --out FOLDER`."""
    corpus = chosen_corpus(options)
    subjects, settings = chosen_subjects(options), chosen_study(options, corpus)
    from attn_core.runs.folder import KINDS, refuse_others
    from attn_core.study.descriptions import default_name, describe_short

    out = options.out or Path(KINDS["study"].folders, default_name(options.texts, subjects[0].spec))
    refuse_others(out, KINDS["study"])
    print(describe_short(corpus, settings.analysis.share, settings.unit), file=sys.stderr)
    choose_workers(options, corpus.size, [subject.spec for subject in subjects])
    from attn_core.study.runner import run_study

    study = with_workers(options, run_study, corpus, subjects, out, settings)
    _tell(study)


def _tell(study: "Study") -> None:
    """Print how much was counted, and the verdicts on the claims. Raises InputError if nothing was counted."""
    from attn_core.io.exports import markdown
    from attn_core.study.descriptions import claims_in_markdown, left_out

    table = study.table("subjects")
    if not table["windows"].any():
        first = study.table("bad_texts").iloc[0]
        raise InputError(
            f"No text could be counted, none of {table['bad_texts'].max():,}; the first is {first['name']} "
            f"({first['reason']}); bad_texts.csv in {printable(study.folder / 'tables')} lists them all."
        )
    if len(left := left_out(study)):
        print(markdown(list(left), left.astype("string").fillna("").to_numpy()), end="\n\n", file=sys.stderr)
    for name, reason in _without_entropies(study):
        print(f"{name} has no entropies: {reason}", file=sys.stderr)
    print(claims_in_markdown(study))
    for printed in _relations(study):
        print(f"\n{printed}")
    first = table[table["problem"] == ""].iloc[0]
    say_encodings(first["assumed_encodings"])
    print(
        f"\n{first['texts']:,} texts in {first['windows']:,} windows, {first['bad_texts']:,} texts left out: "
        f"tables in {printable(study.folder / 'tables')}"
    )


def _relations(study: "Study") -> Iterator[str]:
    """Markdown on how well the heads of the first subject find relations, if there are any."""
    from attn_core.charts.catalogue import Tables
    from attn_core.patterns.scores import CHOSEN
    from attn_core.report.cells import in_markdown

    names = list(filter(study.has, ("relations", "joined")))
    for name in names:
        table = study.of().table(name)
        shown_of = table[table["map"] == CHOSEN] if "map" in table else table
        yield in_markdown(Tables("study", names, study.of().table), name, shown_of)


def _without_entropies(study: "Study") -> Iterator[tuple[str, str]]:
    """(name, reason) of counted subjects for which entropy was requested but is not known."""
    from attn_core.models.language_head import language_head
    from attn_core.models.loading import model_of

    if not study.manifest["settings"]["entropy"]:
        return
    known = set(study.table("entropies")["subject"]) if study.has("entropies") else set()
    for name, spec in {record.subject.name: record.subject.spec for record in study.records if record.finished}.items():
        if name not in known:
            reason = "no text has a word to ask for."
            try:
                language_head(model_of(spec))
            except ModelError as error:
                reason = str(error)
            yield name, reason
