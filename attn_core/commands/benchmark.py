"""The command `benchmark`: what the analysis, a study and the dashboard cost beside the bare model."""

import argparse
from typing import Any

from attn_core.commands.options import path, positive

PARTS = ("text", "study", "memory", "workers", "removals", "start", "pages")
VERDICTS, GROWTH = "verdicts", "growth"  # take long: only where they are asked for


def add_command(commands: Any) -> None:
    """Add it to the subcommands of a parser."""
    parser = commands.add_parser(
        "benchmark", help="time the analysis, a study and the dashboard against the bare model"
    )
    parser.add_argument("--windows", type=positive, default=48, help="windows of the study (default: 48)")
    parser.add_argument(
        "--memory", type=positive, default=200, help="windows of the small memory run; the other has ten times as many"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=(*PARTS, GROWTH, VERDICTS),
        default=PARTS,
        metavar="PART",
        help=f"parts to run: {' '.join(PARTS)}; or, which take long, {GROWTH}, the law by which studies grow, and "
        f"{VERDICTS}, what they say of untrained models",
    )
    parser.add_argument("--model", help=f"of the {VERDICTS}: a model's folder or name (default: the installed one)")
    parser.add_argument(
        "--prose", type=path, help=f"of the {VERDICTS}: a .txt or .txt.xz of books, blank lines between them"
    )
    parser.add_argument("--books", type=positive, default=12, help="of that file (default: 12)")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if parts := [part for part in options.only if part != VERDICTS]:
        from attn_core.benchmark.table import benchmark

        benchmark(parts, options.windows, options.memory)
    if VERDICTS in options.only:
        from attn_core.benchmark.verdicts import verdicts

        verdicts(options.model, options.prose, options.books)
