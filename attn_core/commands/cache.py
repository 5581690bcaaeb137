"""The command `cache`: what is kept of texts that were read before, how much it is, and how it is emptied."""

import argparse
from typing import Any

from attn_core.io import disk_cache
from attn_core.io.paths import shown


def add_command(commands: Any) -> None:
    """Add it to the subcommands of a parser."""
    parser = commands.add_parser("cache", help="where readings are kept between starts, and how much they take")
    parser.add_argument("--empty", action="store_true", help="drop all of them; they are made again when needed")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    place = disk_cache.folder()
    if place is None:
        print(f"Nothing is kept: {disk_cache.VARIABLE} is off.")
        return
    if options.empty:
        disk_cache.empty()
    print(f"{disk_cache.size() / 1e6:,.1f} MB of readings in {shown(place)}, at most {disk_cache.LIMIT / 1e6:,.0f} MB.")
