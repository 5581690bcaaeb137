"""The command `benchmark`: what the analysis, a study and the dashboard cost beside the bare model."""

import argparse
from pathlib import Path
from typing import Any

from attn_core.errors import InputError
from attn_core.options import path, positive

PARTS = ("text", "study", "memory", "workers", "removals", "start", "pages")
VERDICTS, GROWTH = "verdicts", "growth"  # take long: only where they are asked for


def add_command(commands: Any) -> None:
    """Add it to the subcommands of a parser."""
    parser = commands.add_parser(
        "benchmark", help="time the analysis, a study and the dashboard against the bare model"
    )
    parser.add_argument("--windows", type=positive, help="windows of a study (default: 24, of workers and growth 48)")
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
        f"{VERDICTS}, what they say of networks that never learned",
    )
    installed = "default: the installed one"
    parser.add_argument(
        "--models", nargs="+", default=[], metavar="MODEL", help=f"of the {VERDICTS}: folders or names ({installed})"
    )
    parser.add_argument(
        "--prose", type=path, help=f"of the {VERDICTS}: a .txt or .txt.xz of books, blank lines between them"
    )
    parser.add_argument("--books", type=positive, default=12, help="whose windows are read (default: 12)")
    parser.add_argument("--seeds", type=positive, default=20, help="of each twin (default: 20)")
    parser.add_argument(
        "--kept",
        type=path,
        default=Path("verdict_counts"),
        help="folder of what was counted of each network, from which a later run goes on (default: verdict_counts)",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if parts := [part for part in options.only if part != VERDICTS]:
        from attn_core.benchmark.table import benchmark

        benchmark(parts, options.windows, options.memory)
    if VERDICTS in options.only:
        if options.prose is None:
            raise InputError(
                f"The {VERDICTS} are tried on books: give --prose FILE, a .txt with blank lines between them."
            )
        from attn_core.benchmark.verdicts import verdicts

        verdicts(options.models, options.prose, options.books, options.seeds, options.kept)
