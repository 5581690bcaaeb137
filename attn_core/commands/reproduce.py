"""`reproduce TEXTS --models MODEL ... --out FOLDER`: the claims for several models, under every choice the paper leaves open."""

import argparse
from typing import Any

from attn_core.commands.options import chosen_model
from attn_core.commands.study import TEXTS, chosen_corpus
from attn_core.commands.workers import add_workers, settle_workers, threads_of_worker, with_workers
from attn_core.io.paths import shown
from attn_core.options import CONTROL_HELP, CORPUS, add_options, named_model, path


def add_command(commands: Any) -> None:
    """Add `reproduce` to the subcommands of a parser."""
    parser = commands.add_parser(
        "reproduce",
        help="the paper's claims for several models and their controls, under every choice that the paper leaves open",
        description="Reads each window once a layout, and asks the claims under 30 combinations of share of pairs, special "
        "tokens, unit and layout, and under 60 more with two measures of ours. A model, a corpus or a control may be added to "
        "the folder later.",
    )
    parser.add_argument("texts", help=TEXTS)
    parser.add_argument(
        "--out", type=path, required=True, help="folder of the reproduction; the same command goes on in it"
    )
    parser.add_argument(
        "--models", nargs="+", type=named_model, metavar="MODEL",
        help="hub ids, folders or 'default' (default: BERT where it is cached, MiniLM otherwise)",
    )  # fmt: skip
    parser.add_argument("--download", action="store_true", help="fetch the models from the hub that are not here")
    add_options(parser, "stack", "window_tokens")
    parser.add_argument(
        "--controls", nargs="*", choices=tuple(CONTROL_HELP), default=tuple(CONTROL_HELP), metavar="CONTROL",
        help="; ".join(f"{control}: {told}" for control, told in CONTROL_HELP.items()) + " (default: all)",
    )  # fmt: skip
    add_options(parser, "twins", "windows", "name", *CORPUS)
    parser.add_argument("--plan", action="store_true", help="tell how long it will take, and count nothing")
    add_workers(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    corpus = chosen_corpus(options.texts, options)
    corpus.check(options.out)  # what is wrong with the texts is told before torch is imported

    from attn_core.reproduction.job import ReproductionSettings
    from attn_core.reproduction.runner import Asked, reproduce
    from attn_core.runs.executors import WINDOW_CHARACTERS

    settings = ReproductionSettings(windows=options.windows)
    models = tuple(chosen_model(name, options) for name in options.models or [None])
    asked = Asked(corpus, models, tuple(options.controls), options.twins, options.language, options.name or "")
    read = (min(length, options.windows * WINDOW_CHARACTERS) for length in corpus.lengths())
    settle_workers(options, read, asked.models)
    if options.plan:
        from attn_core.reproduction.time_plan import planned_time

        print(planned_time(asked, settings, options.workers, threads_of_worker(options)))
        return
    reproduction = with_workers(options, reproduce, asked, options.out, settings)

    from attn_core.reproduction.opened import printed

    print(printed(reproduction))
    print(f"\nAll tables in {shown(reproduction.folder / 'tables')}")
