"""`figures`: the figures and the table that the project's documents show, made anew."""

import argparse
from typing import Any

from attn_core.io.paths import PROJECT, shown


def add_command(commands: Any) -> None:
    """Add `figures` to the subcommands of a parser."""
    parser = commands.add_parser("figures", help="make the documents' figures and table of a sample text anew")
    parser.set_defaults(run=_run)


def _run(_options: argparse.Namespace) -> None:
    from attn_core.report.of_readme import write

    for file in write(PROJECT):
        print(shown(file))
