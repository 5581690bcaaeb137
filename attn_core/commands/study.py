"""The command `study`, and the options that every study has. Nothing heavy is imported before it runs."""

import argparse
from typing import TYPE_CHECKING, Any

from attn_core.commands.options import chosen_settings, under_control
from attn_core.commands.workers import add_workers, settle_workers, threads_of_worker, with_workers
from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.options import CONTROL_HELP, CORPUS, PAIRS, add_model, add_options, path

if TYPE_CHECKING:
    from attn_core.study.corpus import Corpus
    from attn_core.study.settings import StudySettings
    from attn_core.texts.passages import Layout

TEXTS = "a folder, a glob in quotes, or a .txt, .md, .jsonl, .csv or .parquet file"


def add_command(commands: Any) -> None:
    """Add it to the subcommands of a parser."""
    study = commands.add_parser("study", help="ask the same of a whole corpus: pooled tables with 95%% intervals")
    study.add_argument("texts", help=TEXTS)
    study.add_argument("--out", type=path, required=True, help="folder of the study; the same command goes on in it")
    add_model(study, tuple(CONTROL_HELP))
    add_study(study)
    study.add_argument(
        "--plan", action="store_true", help="tell how many windows, how long and how much it takes, and count nothing"
    )
    study.set_defaults(run=run_study_command)


def add_study(study: argparse.ArgumentParser) -> None:
    """How texts are read and counted, and by whom: the options that every study has."""
    add_options(study, *CORPUS, *PAIRS)
    add_workers(study)
    add_options(study, "shard_characters")


def chosen_corpus(texts: str, options: argparse.Namespace) -> "Corpus":
    """The texts, read as `add_corpus` asked for."""
    from attn_core.study.corpus import Corpus

    return Corpus(texts, options.column, options.documents, options.limit, options.groups)


def chosen_study(options: argparse.Namespace, layout: "Layout") -> "tuple[Corpus, StudySettings]":
    """The texts, and what `add_study` asked for, workers apart."""
    from attn_core.study.plan import sensible_size
    from attn_core.study.settings import StudySettings

    corpus = chosen_corpus(options.texts, options)
    settings = StudySettings(
        chosen_settings(options),
        layout,
        options.language,
        options.unit,
        shard_characters=options.shard_characters or sensible_size(corpus),
    )
    return corpus, settings


def run_study_command(options: argparse.Namespace) -> None:
    """`python -m attn_core study TEXTS --out FOLDER`."""
    spec, layout = under_control(options)
    corpus, settings = chosen_study(options, layout)
    corpus.check(options.out)
    settle_workers(options, corpus.lengths(), [spec])
    if options.plan:
        from attn_core.study.forecast import forecast

        print(forecast(corpus, spec, settings, threads_of_worker(options)).in_words(options.workers))
        return

    from attn_core.study.runner import run_study

    study = with_workers(options, run_study, corpus, spec, options.out, settings)
    size = study.provenance
    if not size["windows"]:
        first = study.table("bad_texts").iloc[0]
        raise InputError(
            f"No text could be counted, none of {size['bad_texts']:,}; the first is {first['name']} "
            f"({first['reason']}); bad_texts.csv in {shown(study.folder / 'tables')} lists them all."
        )
    print(
        f"{size['texts']:,} texts in {size['windows']:,} windows, {size['bad_texts']:,} texts left out: "
        f"tables in {shown(study.folder / 'tables')}"
    )
