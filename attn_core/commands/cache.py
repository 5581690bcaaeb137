"""The command `cache`: what is kept of texts that were read before, how much it is, and how it is emptied."""

import argparse
from typing import Any

from attn_core.io import disk_cache
from attn_core.io.paths import shown
from attn_core.models.controls import twin_of
from attn_core.models.files import TWINS, default_spec
from attn_core.texts import own_texts
from attn_core.texts.documents import samples


def add_command(commands: Any) -> None:
    """Add it to the subcommands of a parser."""
    parser = commands.add_parser("cache", help="where readings are kept between starts, and how much they take")
    parser.add_argument(
        "--empty", action="store_true", help="drop all of them; they are made again when needed. Texts of your own stay"
    )
    parser.add_argument(
        "--first", action="store_true", help="read the text that the dashboard opens with, so that it shows at once"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    place = disk_cache.folder()
    if place is None:
        print(f"Nothing is kept: {disk_cache.VARIABLE} is off.")
        return
    if options.empty:
        disk_cache.empty()
    if options.first:
        from attn_core.analysis.reading_cache import read_ahead

        for spec in (default_spec(), *(twin_of(default_spec(), kind) for kind in TWINS)):  # Home holds it against both
            read_ahead(spec, samples()[0])
    print(f"{disk_cache.size() / 1e6:,.1f} MB of readings in {shown(place)}, at most {disk_cache.LIMIT / 1e6:,.0f} MB.")
    if number := len(own_texts.every()):
        stay = "text of your own stays" if number == 1 else "texts of your own stay"
        print(f"{number:,} {stay} in {shown(own_texts.folder() or '')}: My texts in the dashboard deletes them.")
