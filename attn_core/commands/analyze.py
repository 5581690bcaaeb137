"""`analyze FILE --out FOLDER`: all tables of one text; `keywords FILE`: the phrases in most of its strong pairs.

`columns`: the definitions of all columns of all tables.
"""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from attn_core.commands.options import (
    CONTROL_HELP,
    PAIRS,
    add_model,
    add_options,
    chosen_settings,
    out_folder,
    path,
    positive,
    read_text,
    under_control,
)
from attn_core.commands.workers import load_visibly, print_status, print_windows
from attn_core.errors import TextError
from attn_core.io.paths import printable
from attn_core.models.files import ModelSpec
from attn_core.texts.documents import Document, read_document, read_file
from attn_core.texts.passages import Layout

if TYPE_CHECKING:
    from attn_core.analysis.one_text import Analysis


def add_command(commands: Any) -> None:
    """Add the three to the subcommands of a parser."""
    parser = commands.add_parser("analyze", help="write every table of a text, as CSV and Parquet")
    parser.add_argument("file", type=path, help="a text file, which is analysed")
    parser.add_argument("--out", type=out_folder, required=True, help="folder for the tables")
    add_options(parser, "overwrite")
    add_model(parser, tuple(CONTROL_HELP))
    add_options(parser, "language", *PAIRS, "window")
    parser.add_argument("--sources", action="store_true", help="also the tokens that most of each head's pairs read")
    parser.set_defaults(run=_run)
    parser = commands.add_parser("keywords", help="the phrases of a text whose words the heads gather around")
    parser.add_argument("file", type=path, help="a text file")
    add_model(parser)
    add_options(parser, "language")
    parser.add_argument("--number", type=positive, default=10, help="how many (default: 10)")
    parser.add_argument("--format", choices=["text", "json", "csv"], default="text", help="default: text")
    parser.set_defaults(run=_keywords)
    parser = commands.add_parser("columns", help="what every column of every table means, in Markdown")
    parser.set_defaults(run=_columns)


def _run(options: argparse.Namespace) -> None:
    from attn_core.io import exports

    exports.check_folder(options.out, options.overwrite)
    text, encoding = read_file(options.file)
    document = read_document(text, options.language)
    analysis = analyzed(options, *under_control(options), document, options.window)
    print_status("making the tables", log=False)
    files = analysis.files(*(["sources"] if options.sources else []))
    number = sum(name.endswith(".csv") for name in files)
    print_status("")
    exports.write_tables(files, options.out, options.overwrite, options.argv)
    model = analysis.reading.model.spec
    print(f"{printable(options.file.name)} ({encoding}), {model}: {number} tables in {printable(options.out)}")
    if document.text != text:
        print("start and end count characters of the text without ========== lines, with one character per line end")


def analyzed(
    options: argparse.Namespace, spec: ModelSpec, layout: Layout, document: Document, window: int | None
) -> "Analysis":
    """The analysis of a text by a model, with the settings of the options. A terminal shows the progress."""
    from attn_core.analysis.one_text import analyze_reading
    from attn_core.analysis.reading import read

    settings = chosen_settings(options)
    reading = read(load_visibly(spec), document, layout, window, progress=print_windows, unit=options.unit)
    print_status("selecting the strong pairs", log=False)
    analysis = analyze_reading(reading, settings)
    print_status("")
    return analysis


def _keywords(options: argparse.Namespace) -> None:
    document = read_text(options.file, options.language)

    from attn_core.analysis import reading
    from attn_core.analysis.keywords import NO_KEYWORDS, keywords
    from attn_core.io import exports
    from attn_core.models.records import provenance_of

    model = load_visibly(under_control(options)[0])
    read = reading.read(model, document, progress=print_windows)
    print_status("ranking the phrases", log=False)
    table = keywords(read, options.number)
    print_status("")
    if table.empty:
        raise TextError(NO_KEYWORDS)
    if options.format == "json":
        print(table.to_json(orient="records", force_ascii=False, indent=2))
    elif options.format == "csv":
        provenance = provenance_of(model) | {"text": printable(options.file.name)}
        sys.stdout.write(exports.to_csv(table, provenance).decode("utf-8-sig"))
    else:
        for row in table.to_dict("records"):
            print(f"{row['keyword']}  {row['score']:.2f} (chance {row['chance_score']:.2f})")


def _columns(_options: argparse.Namespace) -> None:
    from attn_core.columns.dictionary import in_markdown

    sys.stdout.write(in_markdown())
