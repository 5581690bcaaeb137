"""The command line: `python -m attn_core analyze FILE --model M --out FOLDER`."""

import argparse
import sys
from pathlib import Path

from attn_core.errors import InputError


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status: 0, or 2 with one sentence on standard error for bad input."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (InputError, OSError) as error:
        print(f"attn_core: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m attn_core", description="How attention heads pair tokens.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    analyze = commands.add_parser("analyze", help="write every table of a text, as CSV and Parquet")
    analyze.add_argument("file", type=Path, help="a text file")
    analyze.add_argument("--model", help="hub id or folder (default: BERT where it is cached, MiniLM otherwise)")
    analyze.add_argument("--revision", help="revision of a hub model")
    analyze.add_argument("--download", action="store_true", help="fetch the model from the hub if it is not here")
    analyze.add_argument("--out", type=Path, required=True, help="folder for the tables")
    analyze.add_argument("--language", default="en", help="language of the text, for sentence ends (default: en)")
    analyze.add_argument("--layout", choices=["plain", "separated"], default="plain")
    analyze.add_argument("--measure", choices=["dot", "cosine"], default="dot")
    analyze.add_argument(
        "--share", type=_share, default=0.01, help="share of pairs that count as strong (default: 0.01)"
    )
    analyze.add_argument("--no-special", action="store_true", help="leave special tokens out of the pairs")
    analyze.add_argument("--window", type=int, help="one window of a long text, from 1 (default: all, pooled)")
    analyze.set_defaults(run=_analyze)
    return parser


def _analyze(options: argparse.Namespace) -> None:
    from attn_core import analysis, export, models, texts

    text, encoding = texts.decode(options.file.read_bytes())
    spec = models.ModelSpec(options.model, options.revision) if options.model else models.default_spec()
    if options.download and not models.is_here(spec):
        models.download(spec)
    found = analysis.analyze(
        text,
        spec,
        analysis.Settings(options.measure, options.share, not options.no_special),
        language=options.language,
        layout=options.layout,
        window=None if options.window is None else options.window - 1,
    )
    files = export.table_files(found.tables(), found.provenance())
    export.write_files(files, options.out)
    rows = ", ".join(f"{name} {len(table):,}" for name, table in found.tables().items())
    print(f"{options.file.name} ({encoding}), {spec.name}: {len(files)} files in {options.out} (rows: {rows})")


def _share(text: str) -> float:
    share = float(text)
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError("must lie above 0 and at most at 1")
    return share


if __name__ == "__main__":
    sys.exit(main())
