"""`keywords FILE`: the phrases of a text whose words the heads gather around."""

import argparse
import sys
from typing import Any

from attn_core.commands.options import under_control
from attn_core.io.paths import shown
from attn_core.options import add_model, add_options, path, positive


def add_command(commands: Any) -> None:
    """Add `keywords` to the subcommands of a parser."""
    parser = commands.add_parser("keywords", help="the phrases of a text whose words the heads gather around")
    parser.add_argument("file", type=path, help="a text file")
    add_model(parser)
    add_options(parser, "language")
    parser.add_argument("--number", type=positive, default=10, help="how many (default: 10)")
    parser.add_argument("--format", choices=["text", "json", "csv"], default="text", help="default: text")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from attn_core.texts import documents

    text, _ = documents.read_file(options.file)
    document = documents.read_document(text, options.language)

    from attn_core.analysis import reading
    from attn_core.analysis.keywords import keywords
    from attn_core.io import tables
    from attn_core.models import loading  # torch takes seconds: what is wrong with the text is told before
    from attn_core.models.records import provenance_of

    model = loading.load(under_control(options)[0])
    table = keywords(reading.read(model, document), options.number)
    if options.format == "json":
        print(table.to_json(orient="records", force_ascii=False, indent=2))
    elif options.format == "csv":
        provenance = provenance_of(model) | {"text": shown(options.file.name)}
        sys.stdout.write(tables.to_csv(table, provenance).decode())
    else:
        for row in table.to_dict("records"):
            print(f"{row['keyword']}  {row['score']:.2f} (chance {row['chance_score']:.2f})")
