"""`compare A B`: two models, a model and a baseline, or two settings, on one text."""

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from attn_core.commands.options import chosen_settings
from attn_core.errors import InputError
from attn_core.io.paths import shown, typed_path
from attn_core.options import PAIRS, add_options, out_folder, path
from attn_core.similarity.strong_pairs import MEASURES
from attn_core.similarity.words import UNITS
from attn_core.texts.passages import LAYOUTS

if TYPE_CHECKING:
    from attn_core.analysis.one_text import Analysis

SHUFFLED_TEXT = "shuffled_text"
MARKS = {"layout": (*LAYOUTS, SHUFFLED_TEXT), "measure": MEASURES, "unit": UNITS}  # after a +, beside those of a model
HELP = (
    "a model, its hub id or folder, or 'default'; after a + what makes it another subject: untrained or shuffled_weights (with "
    "another seed untrained:1), decoder or cross (stacks of an encoder-decoder), shuffled_text, separated, dot, cosine, centred, "
    "words, tokens (MODEL+untrained)"
)


def add_command(commands: Any) -> None:
    """Add `compare` to the subcommands of a parser."""
    parser = commands.add_parser(
        "compare", help="two models, a model and a baseline, or two settings side by side on one text"
    )
    parser.add_argument("a", nargs="?", metavar="A", default="default", help=f"{HELP} (default: the default model)")
    parser.add_argument("b", nargs="?", metavar="B", help="the same (default: A+untrained)")
    parser.add_argument("--text", type=path, help="a text file (default: a sample text)")
    parser.add_argument("--out", type=out_folder, help="folder for the tables, as CSV and Parquet")
    parser.add_argument("--overwrite", action="store_true", help="replace the tables of an earlier run in that folder")
    parser.add_argument("--window", type=int, help="one window of a long text, from 1 (default: all, pooled)")
    add_options(parser, "window_tokens", "language", *PAIRS)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from attn_core.comparison.tables import Comparison, describe
    from attn_core.io import table_folder

    names = [options.a, f"{options.a}+untrained" if options.b is None else options.b]
    if options.out:
        table_folder.check_folder(options.out, options.overwrite)
    asked = [_split(name) for name in names]  # both are checked before any is read
    short, longer = ([_end(name, parts) for name in names] for parts in (1, 2))
    called = longer if short[0] == short[1] else short
    if called[0] == called[1]:
        raise InputError(f"A and B are both {shown(called[0])}: name another B.")
    compared = Comparison({name: _analysis(*one, options) for name, one in zip(called, asked, strict=True)})
    print(describe(compared))
    if options.out:
        files = compared.files()
        table_folder.write_tables(files, options.out, options.overwrite, options.argv)
        print(f"\n{len(files)} files in {shown(options.out)}")


def _end(name: str, parts: int) -> str:
    """The last parts of a model's or a folder's name; where a folder lies is not handed on."""
    return "/".join(name.rstrip("/").rsplit("/", parts)[-parts:])


def _split(name: str) -> tuple[str, dict[str, str]]:
    """A model, with the marks that `spec_named` reads, and the settings after it, by name.

    A + that no mark follows belongs to a folder's name. Raises InputError for two of one kind, and for an unknown mark.
    """
    from attn_core.study.subjects import spec_named

    model, settings = name, dict[str, str]()
    while kind := next(
        (kind for kind, marks in MARKS.items() if model.rpartition("+")[2] in marks and "+" in model), None
    ):
        model, _, mark = model.rpartition("+")
        if kind in settings:
            raise InputError(f"{shown(name)} asks for {mark} and {settings[kind]}: a subject has one {kind}.")
        settings[kind] = mark
    whole = spec_named(model).name
    if not whole or whole.startswith("+"):
        raise InputError(f"The subject {name!r} names no model: write 'default', a hub id, or a folder.")
    if "+" in whole and not typed_path(whole).exists():
        first, _, mark = whole.rpartition("+")
        raise InputError(f"{mark!r} makes no subject of {first}: after a + stands one of those that --help names.")
    return model, settings


def _analysis(model: str, marks: dict[str, str], options: argparse.Namespace) -> "Analysis":
    from attn_core.analysis import one_text, reading
    from attn_core.models import loading
    from attn_core.models.files import default_spec
    from attn_core.study.subjects import SHUFFLED, spec_named
    from attn_core.texts import documents

    spec = spec_named(model, window_tokens=options.window_tokens)
    if spec.name == "default":
        spec = replace(spec, name=default_spec().name)
    settings = chosen_settings(options)
    if "measure" in marks:
        settings = replace(settings, measure=marks["measure"])  # type: ignore[arg-type]
    layout: Any = marks.get("layout", options.layout)
    unit: Any = marks.get("unit", options.unit)
    if options.text:
        text, language = documents.read_file(options.text)[0], options.language
    else:
        sample = documents.samples()[0]
        text, language = sample.text, sample.language
    layout = SHUFFLED if layout == SHUFFLED_TEXT else layout
    loaded = loading.load(spec)
    read = reading.read(loaded, documents.read_document(text, language), layout, options.window, unit=unit)
    return one_text.analyze_reading(read, settings)
