"""`segment FILE`: where a text breaks. `segment-benchmark FOLDER`: every method against gold boundaries."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from attn_core import __version__
from attn_core.commands.options import under_control
from attn_core.commands.workers import tell
from attn_core.errors import InputError
from attn_core.io.atomic_files import write_file
from attn_core.io.paths import shown
from attn_core.options import add_model, add_options, few, path, positive

METHOD = "partition_joined"


def add_command(commands: Any) -> None:
    """Add both to the subcommands of a parser."""
    parser = commands.add_parser("segment", help="cut a text into segments of one topic each")
    parser.add_argument("file", type=path, help="a text file")
    add_model(parser)
    add_options(parser, "language")
    parser.add_argument(
        "--method", default=METHOD, help=f"how to cut (default: {METHOD}); an unknown name lists them all"
    )
    parser.add_argument("--segments", type=positive, help="number of segments (default: found by the method)")
    _add_paragraphs(parser)
    parser.add_argument(
        "--gold",
        type=path,
        help="folder to choose the heads by: .txt files with lines of ========== in them, in paragraphs or a sentence a line",
    )
    parser.add_argument("--format", choices=["text", "json", "csv"], default="text", help="default: text")
    parser.add_argument("--out", type=path, help="new file to write (default: standard output)")
    parser.set_defaults(run=_segment)
    benchmark = commands.add_parser("segment-benchmark", help="score every method on texts with gold boundaries")
    benchmark.add_argument(
        "folders",
        type=path,
        nargs="+",
        metavar="FOLDER",
        help="a collection: .txt files with lines of ========== in them, in paragraphs or a sentence a line",
    )
    add_model(benchmark)
    benchmark.add_argument("--methods", nargs="+", metavar="METHOD", help="methods to score (default: all of them)")
    _add_paragraphs(benchmark)
    benchmark.add_argument("--workers", type=few, default=1, help="processes that share the cores (default: 1)")
    benchmark.add_argument("--csv", type=path, help="new file for the scores of every text")
    benchmark.set_defaults(run=_benchmark)


def _add_paragraphs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-paragraphs",
        action="store_false",
        dest="paragraphs",
        help="boundaries at any sentence end (default: at paragraph ends only, in a text of four paragraphs or more)",
    )


def _segment(options: argparse.Namespace) -> None:
    from attn_core import segmentation
    from attn_core.io import tables
    from attn_core.texts import documents as texts

    _refuse_others(options.out, [options.file])
    text, _ = texts.read_file(options.file)
    document = texts.read_document(text, options.language)
    method = segmentation.by_name(options.method)
    if (most := len(document.sentences)) < (options.segments or 0):
        raise InputError(f"This text has {most:,} sentences: --segments takes a number from 1 to {most:,}.")

    from attn_core.models import loading
    from attn_core.models.records import provenance_of

    model = loading.load(under_control(options)[0])
    outputs = segmentation.encode_sentences(model, document, method.mode or "alone", _told("windows read"))
    heads = None
    if method.uses_heads and options.gold:
        from attn_core.segmentation.gold_benchmark import gold_texts

        gold = gold_texts(options.gold).values()
        heads = segmentation.calibrate([segmentation.encode_sentences(model, one, outputs.mode) for one in gold])
    elif method.uses_heads:
        heads = segmentation.usual_heads(model, outputs, _told("windows read to choose the heads"))
    tell("Looking for boundaries")
    segments = segmentation.segment(method, outputs, heads, options.segments, paragraphs=options.paragraphs)
    tell("")
    if options.paragraphs and segments.boundaries_at == "sentences" and (ends := segmentation.paragraph_ends(document)):
        print(
            f"This text has {len(ends) + 1} paragraphs, fewer than the {options.segments} segments asked for: boundaries lie "
            "at sentence ends.",
            file=sys.stderr,
        )
    table = segmentation.segment_table(document, [segments])
    rows = [row | {"text": document.text[row["start"] : row["end"]]} for row in table.to_dict("records")]
    if options.format == "json":
        answer = json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    elif options.format == "csv":
        at = {"boundaries_at": segments.boundaries_at}
        provenance = provenance_of(model) | {"text": shown(options.file.name)} | at
        answer = tables.to_csv(table, provenance).decode()
    else:
        answer = f"\n{texts.GOLD_MARK}\n".join(row["text"].strip() for row in rows) + "\n"
    if options.out:
        write_file(options.out, answer.encode())
        print(f"{len(table)} segments in {shown(options.out)}")
    else:
        sys.stdout.write(answer)


def _refuse_others(out: Path | None, read: Iterable[Path]) -> None:
    """Raises InputError where a file to write is one of those that are read, or any other with something in it."""
    if out is None or not out.is_file():
        return
    if any(out.samefile(file) for file in read if file.exists()):
        raise InputError(f"{shown(out)} is a text that is read: choose another file to write.")
    if out.stat().st_size:
        raise InputError(f"{shown(out)} is there already: choose another file to write, or delete it first.")


def _told(what: str) -> Callable[[int, int], None]:
    """Progress on one line, which `tell("")` wipes out."""
    return lambda done, of: tell(f"{done} of {of} {what}")


def _benchmark(options: argparse.Namespace) -> None:
    from attn_core import segmentation
    from attn_core.io import tables
    from attn_core.models import loading
    from attn_core.models.records import provenance_of
    from attn_core.segmentation import gold_benchmark, scores

    if options.csv and options.csv.is_dir():
        raise InputError(f"{shown(options.csv)} is a folder: --csv takes a file.")
    _refuse_others(options.csv, (file for folder in options.folders for file in folder.glob("**/*.txt")))
    asked = options.methods or [method.name for method in segmentation.METHODS]
    methods = tuple(segmentation.by_name(name) for name in asked)
    model = loading.load(under_control(options)[0])
    results = gold_benchmark.run(options.folders, model, methods, _told("texts"), options.workers, options.paragraphs)
    tell("")
    print(scores.render(results))
    for column in ("collection", "group"):
        named = results[results[column] != ""]
        if named[column].nunique() > 1:
            print(f"\nPk by {column}:\n\n{scores.render_side_by_side(named, column)}")
    if options.csv:
        provenance = provenance_of(model) | {"program_version": __version__}
        write_file(options.csv, tables.to_csv(results, provenance))
