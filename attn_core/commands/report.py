"""`report FOLDER --out report.html`: one HTML file with the results of a command's folder, or of a text."""

import argparse
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from attn_core.commands.analyze import analyzed
from attn_core.commands.options import (
    CONTROL_HELP,
    MODEL,
    PAIRS,
    add_model,
    add_options,
    flag_of,
    path,
    read_text,
    under_control,
)
from attn_core.errors import InputError
from attn_core.io.atomic_files import refuse_others
from attn_core.io.paths import printable
from attn_core.models.baselines import copy_of
from attn_core.models.files import COPIES

if TYPE_CHECKING:
    from attn_core.report.document import Report

OF_A_TEXT = (*MODEL, *PAIRS, "language")


def add_command(commands: Any) -> None:
    """Add `report` to the subcommands of a parser."""
    parser = commands.add_parser(
        "report",
        help="one HTML file to hand on, of a text, a study, a comparison or removed heads",
        description="The options of a text are those of `analyze`; a folder has its own.",
    )
    given = "what `study`, `analyze`, `compare` or `ablate` has written; or a text file, which is read now"
    parser.add_argument("given", type=path, metavar="FOLDER", help=given)
    parser.add_argument("--out", type=path, required=True, help="the file, such as report.html")
    add_model(parser, tuple(CONTROL_HELP))
    add_options(parser, "language", *PAIRS)
    parser.set_defaults(run=partial(_run, parser))


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    from attn_core.report.document import GENERATOR, html, write_report

    refuse_others(options.out, GENERATOR)  # before anything is read
    if options.given.is_dir():
        if given := [name for name in OF_A_TEXT if getattr(options, name) != parser.get_default(name)]:
            raise InputError(f"A folder says itself how it was made: leave {flag_of(given[0])} out.")
        from attn_core.report.of_tables import of_folder

        report = of_folder(options.given)
    else:
        report = _of_file(options)
    write_report(html(report), options.out)
    print(f"{report.title}: {printable(options.out)}")


def _of_file(options: argparse.Namespace) -> "Report":
    """The report of a text, which is analysed here."""
    document = read_text(options.given, options.language)

    from attn_core.measures.similarity_scores import with_reach
    from attn_core.report.of_tables import of_text

    spec, layout = under_control(options)
    analysis, copies = analyzed(options, spec, layout, document, None), {}
    with suppress(InputError):  # a model that has no copy
        for kind, name in COPIES.items() if spec.copy is None else ():
            copy = analyzed(options, copy_of(spec, kind), layout, document, None)
            copies[name] = with_reach(copy.layers, copy.reach)
    return of_text(analysis, options.given.name, copies, options.argv)
