"""`compare SUBJECT ...`: models, their controls and settings, or studies, held against each other."""

import argparse
import re
from dataclasses import replace
from typing import Any

from attn_core.commands.options import chosen_settings
from attn_core.errors import InputError
from attn_core.io.paths import shown, typed_path
from attn_core.models.controls import CONTROLS, controlled
from attn_core.models.files import STACKS, TWINS
from attn_core.options import PAIRS, add_options, out_folder, path
from attn_core.similarity.strong_pairs import MEASURES
from attn_core.similarity.words import UNITS
from attn_core.texts.passages import LAYOUTS

TWIN = re.compile(f"({'|'.join(TWINS)})([0-9]{{1,4}})")  # the twin of a seed
HELP = (
    "a model, its hub id or folder, with what makes it another subject after a +: untrained or permuted (untrained1, "
    "permuted2 ...: twins of other seeds), decoder or cross (stacks of an encoder-decoder, whose encoder is read otherwise), "
    "shuffled, separated, dot, cosine, centred, words, tokens (MODEL+untrained); 'default' is the default model; or "
    "the folder of a study"
)


def add_command(commands: Any) -> None:
    """Add `compare` to the subcommands of a parser."""
    parser = commands.add_parser("compare", help="hold models, controls, settings or studies against each other")
    parser.add_argument(
        "subjects",
        nargs="*",
        metavar="SUBJECT",
        default=["default", "default+untrained", "default+permuted", "default+shuffled"],
        help=f"{HELP} (default: the default model, its twins and the shuffled text)",
    )
    parser.add_argument("--text", type=path, help="a text file, for models (default: a sample text)")
    parser.add_argument("--out", type=out_folder, help="folder for the tables, as CSV and Parquet")
    parser.add_argument("--overwrite", action="store_true", help="replace the tables of an earlier run in that folder")
    parser.add_argument("--window", type=int, help="one window of a long text, from 1 (default: all, pooled)")
    add_options(parser, "window_tokens", "language", *PAIRS)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from attn_core.comparison.subjects import check_names
    from attn_core.comparison.tables import Comparison, in_words
    from attn_core.io import table_folder

    check_names(options.subjects)  # before any is read
    if options.out:
        table_folder.check_folder(options.out, options.overwrite)
    parts = [_split(name) for name in options.subjects]
    short, longer = (["+".join([_end(model, parts_shown), *marks]) for model, marks in parts] for parts_shown in (1, 2))
    called = [two if short.count(one) > 1 else one for one, two in zip(short, longer, strict=True)]
    subjects = [_subject(*named, options) for named in zip(called, parts, strict=True)]
    compared = Comparison(subjects)
    print(in_words(compared))
    if options.out:
        files = compared.files()
        table_folder.write_tables(files, options.out, options.overwrite)
        print(f"\n{len(files)} files in {shown(options.out)}")


def _end(name: str, parts: int) -> str:
    """The last parts of a model's or a folder's name; where a folder lies is not handed on."""
    return "/".join(name.rstrip("/").rsplit("/", parts)[-parts:])


def _split(name: str) -> tuple[str, list[str]]:
    """A model or a folder, and the marks after it; a + that no mark follows belongs to a folder's name."""
    known, model, marks = (*CONTROLS, *STACKS, *LAYOUTS, *MEASURES, *UNITS), name, list[str]()
    while (parts := model.rpartition("+"))[1] and (parts[2] in known or TWIN.fullmatch(parts[2])):
        model, marks = parts[0], [parts[2], *marks]
    kinds = {"measures": MEASURES, "units": UNITS, "layouts": LAYOUTS, "controls": CONTROLS, "stacks": STACKS}
    for kind, of_kind in kinds.items():
        if len(both := [mark for mark in marks if mark in of_kind]) > 1:
            raise InputError(f"{shown(name)} asks for {len(both)} {kind} ({', '.join(both)}): a subject has one.")
    if not model:
        raise InputError(
            f"The subject {name!r} names no model: write 'default', a hub id, a folder, or a study's folder."
        )
    if parts[1] and not typed_path(model).exists():
        raise InputError(f"{parts[2]!r} makes no subject of {parts[0]}: after a + stands one of {', '.join(known)}.")
    return model, marks


def _subject(called: str, parts: tuple[str, list[str]], options: argparse.Namespace) -> Any:
    """A study where there is one of that name, else a model with its settings, read on the text."""
    from attn_core.comparison.subjects import Subject
    from attn_core.runs.folder import MANIFEST
    from attn_core.study.opened import open_study

    folder = typed_path(parts[0])
    if (folder / MANIFEST).exists() and not parts[1]:
        return Subject(called, open_study(folder))
    return Subject(called, _analysis(*parts, options))


def _analysis(model: str, marks: list[str], options: argparse.Namespace) -> Any:
    from attn_core.analysis import one_text, reading
    from attn_core.models import loading
    from attn_core.models.files import ModelSpec, default_spec
    from attn_core.texts import documents

    spec = default_spec() if model == "default" else ModelSpec(model)
    spec = replace(spec, window_tokens=options.window_tokens)
    settings, layout, unit = chosen_settings(options), options.layout, options.unit
    control: Any = None
    mark: Any
    for mark in marks:
        if of_seed := TWIN.fullmatch(mark):
            kind: Any = of_seed[1]
            spec = replace(spec, twin=(kind, int(of_seed[2])))
        elif mark in STACKS:
            spec = replace(spec, stack=mark)
        elif mark in CONTROLS:
            control = mark
        elif mark in LAYOUTS:
            layout = mark
        elif mark in MEASURES:
            settings = replace(settings, measure=mark)
        else:
            unit = mark
    spec, layout = controlled(control, spec, layout)
    if options.text:
        text, language = documents.read_file(options.text)[0], options.language
    else:
        sample = documents.samples()[0]
        text, language = sample.text, sample.language
    loaded = loading.load(spec)
    text_read = reading.read(loaded, documents.read_document(text, language), layout, options.window, unit=unit)
    return one_text.analyze_reading(text_read, settings)
