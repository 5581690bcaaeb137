"""`series MODEL --texts TEXTS --out FOLDER`: the same study of several steps of a training."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from attn_core.commands.options import chosen_model
from attn_core.commands.study import TEXTS, add_study, chosen_study
from attn_core.commands.workers import settle_workers, tell_progress, with_workers
from attn_core.errors import InputError
from attn_core.io.paths import shown
from attn_core.options import add_options, from_zero, named_model, path

if TYPE_CHECKING:
    from attn_core.runs.progress import Progress
    from attn_core.series.sources import Source


def add_command(commands: Any) -> None:
    """Add `series` to the subcommands of a parser."""
    series = commands.add_parser("series", help="the same study of several steps of a training")
    series.add_argument(
        "model",
        nargs="?",
        type=named_model,
        help="hub id, or the model whose tokenizer checkpoints without one read with",
    )
    series.add_argument("--texts", required=True, help=TEXTS)
    series.add_argument("--out", type=path, required=True, help="folder of the series; the same command goes on in it")
    steps = series.add_mutually_exclusive_group(required=True)
    steps.add_argument("--revisions", nargs="+", metavar="REVISION", help="of the hub model, such as step1000 step2000")
    steps.add_argument(
        "--checkpoints", type=path, metavar="FOLDER", help="where a training left its checkpoint-* folders"
    )
    series.add_argument(
        "--steps", nargs="+", type=from_zero, metavar="STEP", help="the steps of revisions whose names do not tell them"
    )
    series.add_argument("--download", action="store_true", help="fetch the revisions from the hub that are not here")
    series.add_argument(
        "--twins",
        action="store_true",
        help="also untrained and permuted twins: what is learned, row by row of the claims",
    )
    series.add_argument(
        "--entropy", action="store_true", help="also how sure of a word each layer is; needs a language-model head"
    )
    add_options(series, "stack", "window_tokens")
    add_study(series)
    series.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    sources = _sources(options)
    corpus, settings = chosen_study(options, options.layout)
    corpus.check(options.out)
    settle_workers(options, corpus.lengths(), [source.spec for source in sources])

    from attn_core.series.opened import in_markdown  # pandas and torch take seconds: what is wrong is told before
    from attn_core.series.runner import run_series

    def show(source: "Source", progress: "Progress") -> None:
        if progress.status == "starting":
            print(source.name, file=sys.stderr)
        tell_progress(progress)

    model = options.model or shown(options.checkpoints)
    more = {"progress": show, "twins": options.twins, "entropy": options.entropy}
    series = with_workers(options, run_series, model, sources, corpus, options.out, settings, **more)
    for name in dict.fromkeys(source.spec.tokenizer for source in sources if source.spec.tokenizer):
        print(f"Checkpoints without a tokenizer read with that of {name}.")
    print(in_markdown(series))
    print(f"\n{len(series.numbers)} steps: tables in {shown(options.out / 'tables')}")


def _sources(options: argparse.Namespace) -> "list[Source]":
    """The steps that are asked for; revisions that are not here downloaded first where that is asked for too."""
    from attn_core.models.files import ModelSpec, is_here
    from attn_core.series.sources import from_checkpoints, from_revisions

    if options.checkpoints is not None:
        if options.steps:
            raise InputError("--steps goes with --revisions: a checkpoint's folder tells its step.")
        return from_checkpoints(options.checkpoints, chosen_model(options.model, options))
    if not options.model:
        raise InputError("Revisions of which model? Give its hub id before --revisions.")
    whole = ModelSpec(options.model, window_tokens=options.window_tokens, stack=options.stack)
    sources = from_revisions(whole, options.revisions, options.steps)
    if options.download:
        from attn_core.models.hub import download

        for source in sources:
            if not is_here(source.spec):
                download(source.spec)
    return sources
