"""`segment FILE`: the topic boundaries of a text. `segment FOLDER ...`: how well methods find gold boundaries."""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from attn_core import __version__
from attn_core.commands.options import add_model, add_options, path, positive, read_text, say_encoding, under_control
from attn_core.commands.workers import load_visibly, print_status
from attn_core.errors import InputError, check_choice
from attn_core.io.atomic_files import refuse_others, write_file
from attn_core.models.records import provenance_of
from attn_core.texts.documents import GOLD_MARK

METHOD = "partition"


def add_command(commands: Any) -> None:
    """Add `segment` to the subcommands of a parser."""
    parser = commands.add_parser("segment", help="cut a text into segments of one topic, or score that against gold")
    texts = "a text file to cut; for scores, folders of .txt and .md files with lines of ========== between segments"
    parser.add_argument("texts", type=path, nargs="+", metavar="FILE | FOLDER", help=texts)
    add_model(parser)
    add_options(parser, "language")
    methods = f"how to cut (default: {METHOD}; all of them for scores); an unknown name lists them all"
    parser.add_argument("--methods", nargs="+", metavar="NAME", help=methods)
    parser.add_argument("--segments", type=positive, help="number of segments of a file (default: found by the method)")
    parser.add_argument("--csv", type=path, help="new file for the scores of every text; a file is scored too then")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from attn_core import segmentation

    scored = options.csv or len(options.texts) > 1 or options.texts[0].is_dir()
    methods = options.methods or (list(segmentation.METHODS) if scored else [METHOD])
    for method in methods:
        check_choice(method, tuple(segmentation.METHODS), "A method")
    if scored:
        _score(options, methods)
    elif len(methods) > 1:
        raise InputError("A file is cut by one method: name one, or give --csv to score several against its gold.")
    else:
        _cut(options, methods[0])


def _cut(options: argparse.Namespace, method: str) -> None:
    from attn_core import segmentation

    document = read_text(options.texts[0], options.language)
    sentences = document.sentences
    if (most := len(sentences)) < (options.segments or 0):
        raise InputError(f"This text has {most:,} sentences: --segments takes a number from 1 to {most:,}.")

    model = load_visibly(under_control(options)[0])
    outputs = segmentation.SentenceOutputs(model, document, _progress("pieces read"))
    print_status("Looking for boundaries")
    boundaries = segmentation.segment(method, outputs, options.segments)
    print_status("")
    spans = segmentation.segment_spans(boundaries, len(sentences))
    parts = [document.text[sentences[first][0] : sentences[after - 1][1]] for _, first, after in spans]
    print(f"\n{GOLD_MARK}\n".join(part.strip() for part in parts))


def _score(options: argparse.Namespace, methods: list[str]) -> None:
    from attn_core.io import exports
    from attn_core.segmentation import evaluation

    if options.segments:
        raise InputError("--segments is for one file that is cut: leave it out for scores.")
    if options.csv:
        refuse_others(options.csv)

    model = load_visibly(under_control(options)[0])
    say = partial(print, file=sys.stderr)
    results = evaluation.score_collections(options.texts, model, methods, options.language, _progress("texts"), say)
    print_status("")
    for name, encoding in results[["text", "encoding"]].drop_duplicates().itertuples(index=False):
        say_encoding(name, encoding)
    print(evaluation.render(results))
    if options.csv:
        provenance = provenance_of(model) | {"program_version": __version__}
        write_file(options.csv, exports.to_csv(results, provenance))


def _progress(what: str) -> Callable[[int, int], None]:
    """Progress on one line, which `print_status("")` clears."""
    return lambda done, of: print_status(f"{done} of {of} {what}")
