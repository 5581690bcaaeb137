"""The command line: `python -m attn_core COMMAND`; the package `commands` defines them."""

import argparse
import errno
import sys
from typing import NoReturn

from attn_core import __version__
from attn_core.commands import ablate, analyze, compare, report, segment, study
from attn_core.commands.workers import print_status
from attn_core.errors import InputError, ModelNotHere
from attn_core.io.paths import printable

COMMANDS = (analyze, compare, segment, study, ablate, report)


class _Parser(argparse.ArgumentParser):
    """Argument parser that raises InputError, with a message of one sentence."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")


def main(arguments: list[str] | None = None) -> int:
    """The exit status of a command: 0, or 2 for bad input, after one sentence on standard error."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = argparse.Namespace(argv=tuple(arguments))
    try:
        _parser().parse_args(arguments, options)
        options.run(options)
    except (InputError, OSError) as error:
        print_status("")
        print(f"attn_core: {_one_line(error, options)}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m attn_core", description="How attention heads pair tokens.")
    parser.add_argument("--version", action="version", version=f"attn_core {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_command(commands)
    return parser


def _one_line(error: Exception, options: argparse.Namespace) -> str:
    message = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        message = f"{printable(error.filename)}: {error.strerror}."
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        message = "The disk is full: free some space and give the command again."
    if isinstance(error, ModelNotHere):
        message += " Option --download does." if "download" in options else " Option --download of `analyze` does."
    return " ".join(map(printable, message.split()))


if __name__ == "__main__":
    sys.exit(main())
