"""`columns` and `figures`: what the project's documents are made of."""

import argparse
import sys
from typing import Any

from attn_core.io.paths import PROJECT, shown


def add_command(commands: Any) -> None:
    """Add both to the subcommands of a parser."""
    columns = commands.add_parser("columns", help="what every column of every table means, in Markdown")
    columns.set_defaults(run=_columns)
    figures = commands.add_parser("figures", help="make the documents' figures and table of a sample text anew")
    figures.set_defaults(run=_figures)


def _columns(_options: argparse.Namespace) -> None:
    from attn_core.columns.dictionary import in_markdown

    sys.stdout.write(in_markdown())


def _figures(_options: argparse.Namespace) -> None:
    from attn_core.report.of_readme import write

    for file in write(PROJECT):
        print(shown(file))
