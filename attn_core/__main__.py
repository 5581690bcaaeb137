"""The command line: `python -m attn_core analyze FILE --model M --out FOLDER`."""

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from attn_core.errors import InputError, ModelNotHere


class _Parser(argparse.ArgumentParser):
    """A parser that raises its errors as every other error of the user's, in one sentence."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status: 0, or 2 with one sentence on standard error for bad input."""
    try:
        options = _parser().parse_args(arguments)
        options.run(options)
    except (InputError, OSError) as error:
        print(f"attn_core: {_one_line(error)}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m attn_core", description="How attention heads pair tokens.")
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
    from attn_core import texts

    if options.out.exists() and not options.out.is_dir():
        raise InputError(f"{options.out} is a file: --out takes a folder.")
    text, encoding = texts.decode(options.file.read_bytes())
    document = texts.read_document(text, options.language)

    from attn_core import analysis, export, models  # torch takes seconds: what is wrong with the text is told before

    spec = models.default_spec()
    if options.model or options.revision:
        spec = models.ModelSpec(options.model or spec.name, options.revision)
    if options.download and not models.is_here(spec):
        models.download(spec)
    window = None if options.window is None else options.window - 1
    reading = analysis.read(models.load(spec), document, options.layout, window)
    settings = analysis.Settings(options.measure, options.share, not options.no_special)
    found = analysis.analyze_reading(reading, settings)
    files = export.table_files(found.tables(), found.provenance())
    export.write_files(files, options.out)
    rows = ", ".join(f"{name} {len(table):,}" for name, table in found.tables().items())
    print(f"{options.file.name} ({encoding}), {spec.name}: {len(files)} files in {options.out} (rows: {rows})")


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"must be a number above 0 and at most 1, not {text!r}")
    return share


def _one_line(error: Exception) -> str:
    message = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        message = f"{error.filename}: {error.strerror}."
    if isinstance(error, ModelNotHere):
        message += " Option --download does."
    return " ".join(message.split())


if __name__ == "__main__":
    sys.exit(main())
