"""`compare A B`: two models, a model and a baseline, or two settings, on one text."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from attn_core.commands.analyze import analyzed
from attn_core.commands.options import PAIRS, add_options, out_folder, path, read_text
from attn_core.errors import InputError
from attn_core.io.paths import printable, typed_path
from attn_core.models.files import DEFAULT, ModelSpec
from attn_core.similarity.strong_pairs import MEASURES
from attn_core.similarity.words import UNITS
from attn_core.texts.documents import Document, read_document, samples
from attn_core.texts.passages import LAYOUTS, Layout

if TYPE_CHECKING:
    from attn_core.analysis.one_text import Analysis
    from attn_core.comparison.differences import Comparison

SHUFFLED_TEXT = "shuffled_text"
# The settings that may follow a model after a +, besides the marks that `spec_named` reads.
KINDS = (
    dict.fromkeys((*LAYOUTS, SHUFFLED_TEXT), "layout")
    | dict.fromkeys(MEASURES, "measure")
    | dict.fromkeys(UNITS, "unit")
)
HELP = (
    "a model, its hub id or folder, or 'default'; after a + a copy (untrained, shuffled_weights, with a seed "
    "untrained:1), a stack of an encoder-decoder (decoder, cross) or a setting (shuffled_text, separated, dot, cosine, "
    "centred, words, tokens)"
)


def add_command(commands: Any) -> None:
    """Add `compare` to the subcommands of a parser."""
    parser = commands.add_parser("compare", help="two models, a model and a baseline, or two settings on one text")
    parser.add_argument("a", nargs="?", metavar="A", default=DEFAULT, help=f"{HELP} (default: the default model)")
    parser.add_argument("b", nargs="?", metavar="B", help="the same (default: A+untrained)")
    parser.add_argument("--text", type=path, help="a text file (default: a sample text)")
    parser.add_argument("--out", type=out_folder, help="folder for the tables, as CSV and Parquet")
    add_options(parser, "overwrite", "window", "window_tokens", "language", *PAIRS)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from attn_core.comparison.differences import Comparison
    from attn_core.io import exports

    names = [options.a, f"{options.a}+untrained" if options.b is None else options.b]
    if options.out:
        exports.check_folder(options.out, options.overwrite)
    subjects = [_subject(name, options) for name in names]  # both are checked before any is read
    document = _document(options)
    short, longer = ([_end(name, parts) for name in names] for parts in (1, 2))
    called = longer if short[0] == short[1] else short
    if called[0] == called[1]:
        raise InputError(f"A and B are both {printable(called[0])}: name another B.")
    compared = Comparison(
        {name: _analysis(*one, document, options) for name, one in zip(called, subjects, strict=True)}
    )
    print("\n\n".join(_sections(compared)))
    if options.out:
        files = compared.files()
        exports.write_tables(files, options.out, options.overwrite, options.argv)
        print(f"\n{len(files)} files in {printable(options.out)}")


def _end(name: str, parts: int) -> str:
    """The last parts of the name of a model or the path of a folder."""
    return "/".join(name.rstrip("/").rsplit("/", parts)[-parts:])


def _subject(name: str, options: argparse.Namespace) -> tuple[ModelSpec, dict[str, Any]]:
    """The model of a name, and the settings after it by their kind.

    A + that no mark follows belongs to a folder's name. Raises InputError for two marks of a kind and an unknown mark.
    """
    from attn_core.study.subjects import MARK, spec_named

    is_mark = name in KINDS or ("+" not in name and MARK.fullmatch(f"A+{name}"))
    if is_mark and not typed_path(name).exists():
        of = DEFAULT if options.a == name else options.a
        raise InputError(f"{printable(name)!r} is a baseline or a setting, not a model: write {printable(of)}+{name}.")
    model, settings = name, dict[str, str]()
    while "+" in model and (kind := KINDS.get(model.rpartition("+")[2])):
        model, _, mark = model.rpartition("+")
        if kind in settings:
            raise InputError(f"{printable(name)} asks for {mark} and {settings[kind]}: a subject has one {kind}.")
        settings[kind] = mark
    spec = spec_named(model, window_tokens=options.window_tokens)
    if not spec.name or spec.name.startswith("+"):
        raise InputError(f"The subject {name!r} names no model: write 'default', a hub id, or a folder.")
    if "+" in spec.name and not typed_path(spec.name).exists():
        first, _, mark = spec.name.rpartition("+")
        raise InputError(f"{mark!r} is unknown after {first}+: give one of the marks that --help names.")
    return spec, settings


def _document(options: argparse.Namespace) -> Document:
    """The text to read, a sample unless it is given."""
    if options.text:
        return read_text(options.text, options.language)
    sample = samples()[0]
    return read_document(sample.text, sample.language)


def _analysis(spec: ModelSpec, changed: dict[str, Any], document: Document, options: argparse.Namespace) -> "Analysis":
    options = argparse.Namespace(**vars(options) | changed)
    layout: Layout = "shuffled" if options.layout == SHUFFLED_TEXT else options.layout
    return analyzed(options, spec, layout, document, options.window)


def _sections(compared: "Comparison") -> Iterator[str]:
    """How the first statistic differs, the main statistics by layer, and the match of the heads."""
    from attn_core.comparison.differences import describe_difference
    from attn_core.io.exports import markdown
    from attn_core.measures.statistics import BY_NAME, MAIN

    printed, short = [BY_NAME[name] for name in MAIN], "{:.3g}".format
    yield describe_difference({f"in {name}": one for name, one in compared.subjects.items()}, printed[0])
    rows = [
        [one.label, name, " ".join(map(short, of.layers[one.name])), short(of.layers[one.chance].mean())]
        for one in printed
        for name, of in compared.subjects.items()
    ]
    yield markdown(["statistic", "subject", "by layer, from the first", "chance"], rows)
    match = compared.match
    if isinstance(match, str):
        yield match
        return
    row = [
        f"{match.words} words", f"{match.value.mean():z.2f}", f"{match.chance:z.2f}",
        f"{match.sure.sum()} of {len(match.sure)}",
    ]  # fmt: skip
    yield markdown(["heads matched over", "best match, mean", "chance", "above chance"], [row])
