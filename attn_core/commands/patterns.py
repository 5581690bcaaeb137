"""`patterns FILE ... --out FOLDER`: which heads see which relation of annotated texts."""

import argparse
from typing import Any

from attn_core.commands.options import add_model, chosen_model, path, seed
from attn_core.commands.workers import add_workers, with_workers
from attn_core.errors import InputError
from attn_core.paths import shown

ROWS = 16  # relations that are printed


def add_command(commands: Any) -> None:
    """Add `patterns` to the subcommands of a parser."""
    parser = commands.add_parser("patterns", help="score every head on dependencies, coreference and pronouns")
    parser.add_argument(
        "files", type=path, nargs="+", metavar="FILE", help="CoNLL-U (.conllu) or GAP (.tsv), packed or not"
    )
    parser.add_argument("--out", type=path, required=True, help="folder of the scores; the same command goes on in it")
    add_model(parser)
    parser.add_argument("--layout", choices=["plain", "separated"], default="plain")
    parser.add_argument("--seed", type=seed, default=0, help="of the bootstrap and of the permutations (default: 0)")
    add_workers(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from attn_core.patterns.files import annotated_files

    given = annotated_files(options.files)
    given.check()  # what is wrong with a file is told before a model is loaded

    from attn_core.patterns.printed import printed
    from attn_core.patterns.runner import PatternSettings, score_patterns

    settings = PatternSettings(options.layout, seed=options.seed)
    scores = with_workers(options, score_patterns, given, chosen_model(options), options.out, settings)
    if not scores.has("relations"):
        raise InputError(f"No relation could be scored; texts.csv in {shown(scores.folder / 'tables')} says why.")
    print(printed(scores, ROWS))
    print(f"\nAll tables in {shown(scores.folder / 'tables')}")
