"""How far a command is, on standard error."""

import sys


def tell(line: str, ends: bool = False) -> None:
    """A line in place of the one before, unless that one ended; an empty one wipes it out. In a log, lines one by one."""
    if sys.stderr.isatty():
        print(f"\r{line}\033[K", end="\n" if ends else "", file=sys.stderr, flush=True)
    elif line:
        print(line, file=sys.stderr, flush=True)
