"""`columns`: what every column of every table means."""

import argparse
import sys
from typing import Any


def add_command(commands: Any) -> None:
    """Add `columns` to the subcommands of a parser."""
    parser = commands.add_parser("columns", help="what every column of every table means, in Markdown")
    parser.set_defaults(run=_run)


def _run(_options: argparse.Namespace) -> None:
    from attn_core.columns.dictionary import in_markdown

    sys.stdout.write(in_markdown())
