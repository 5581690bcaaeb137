"""`segment FILE`: where a text breaks. `segment-benchmark FOLDER`: every method against gold boundaries."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from attn_core.commands.options import add_language, add_model, chosen_model, path, positive
from attn_core.paths import shown

METHOD = "partition_alone"


def add_commands(commands: Any) -> None:
    """Add both to the subcommands of a parser."""
    parser = commands.add_parser("segment", help="cut a text into segments of one topic each")
    parser.add_argument("file", type=path, help="a text file")
    add_model(parser)
    add_language(parser)
    parser.add_argument(
        "--method", default=METHOD, help=f"how to cut (default: {METHOD}); an unknown name lists them all"
    )
    parser.add_argument("--segments", type=positive, help="number of segments (default: found by the method)")
    parser.add_argument("--gold", type=path, help="folder of texts with gold boundaries to choose the heads by")
    parser.add_argument("--format", choices=["text", "json", "csv"], default="text", help="default: text")
    parser.add_argument("--out", type=path, help="file to write (default: standard output)")
    parser.set_defaults(run=_segment)
    benchmark = commands.add_parser("segment-benchmark", help="score every method on texts with gold boundaries")
    benchmark.add_argument("folder", type=path, help="folder of .txt files with lines of ========== between segments")
    add_model(benchmark)
    benchmark.add_argument("--csv", type=path, help="file for the scores of every text")
    benchmark.set_defaults(run=_benchmark)


def _segment(options: argparse.Namespace) -> None:
    from attn_core import export, segmentation, texts

    text, _ = texts.read_file(options.file)
    document = texts.read_document(text, options.language)
    method = segmentation.by_name(options.method)

    from attn_core import models

    model = models.load(chosen_model(options))
    outputs = segmentation.encode_sentences(model, document, method.mode or "alone")
    heads = None
    if method.uses_heads:
        heads = (
            _calibrated(model, options.gold, outputs.mode) if options.gold else segmentation.usual_heads(model, outputs)
        )
    found = segmentation.segment(method, outputs, heads, options.segments)
    table = segmentation.segment_table(document, [found])
    rows = [row | {"text": document.text[row["start"] : row["end"]]} for row in table.to_dict("records")]
    if options.format == "json":
        answer = json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    elif options.format == "csv":
        provenance = {"model": model.spec.name, "revision": model.revision, "text": shown(options.file.name)}
        answer = export.to_csv(table, provenance).decode()
    else:
        answer = f"\n{texts.GOLD_MARK}\n".join(row["text"].strip() for row in rows) + "\n"
    if options.out:
        options.out.write_text(answer, encoding="utf-8", newline="")
        print(f"{len(table)} segments in {shown(options.out)}")
    else:
        sys.stdout.write(answer)


def _calibrated(model: Any, folder: Path, mode: Any) -> Any:
    """The heads that the gold texts of a folder suggest."""
    from attn_core import segment_benchmark, segmentation

    documents = segment_benchmark.gold_texts(folder).values()
    return segmentation.calibrate([segmentation.encode_sentences(model, document, mode) for document in documents])


def _benchmark(options: argparse.Namespace) -> None:
    from attn_core import models, segment_benchmark

    def progress(done: int, texts: int) -> None:
        print(f"\r{done} of {texts} texts", end="", file=sys.stderr, flush=True)

    results = segment_benchmark.run(options.folder, models.load(chosen_model(options)), progress=progress)
    print("\r", end="", file=sys.stderr)
    if options.csv:
        results.to_csv(options.csv, index=False)
    print(segment_benchmark.render(results))
    if results["group"].nunique() > 1:
        print(f"\nPk by group of texts:\n\n{segment_benchmark.render_by_group(results)}")
