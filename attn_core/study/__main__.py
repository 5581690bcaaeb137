"""`python -m attn_core.study study TEXTS --out FOLDER`, and `benchmark`: the same commands as `python -m attn_core`."""

import argparse
import sys

from attn_core.errors import InputError
from attn_core.study.command import add_commands


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m attn_core.study")
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND"))
    options = parser.parse_args()
    try:
        options.run(options)
    except (InputError, OSError) as error:
        print(f"attn_core: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
