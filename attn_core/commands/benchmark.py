"""The command `benchmark`: what the analysis, a study and the dashboard cost beside the bare model."""

import argparse
from typing import Any

from attn_core.commands.options import positive

PARTS = ("text", "study", "memory", "workers", "start", "pages")


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
        "--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=f"parts to run: {' '.join(PARTS)}"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from attn_core.benchmark.table import benchmark

    benchmark(options.only, options.windows, options.memory)
