"""Options that several commands share."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from attn_core.errors import InputError
from attn_core.io.paths import shown, typed_path
from attn_core.io.whole_numbers import whole_number
from attn_core.models.files import SHORTEST, STACKS, TWINS, WINDOW
from attn_core.similarity.strong_pairs import MEASURES, SHARE, UNITS
from attn_core.texts.languages import AUTO, CODE, ISO_639_1
from attn_core.texts.passages import LAYOUTS

if TYPE_CHECKING:
    from attn_core.models.files import ModelSpec
    from attn_core.similarity.strong_pairs import Settings
    from attn_core.texts.passages import Layout

MOST_WORKERS = 1024
CONTROL_HELP = {
    "untrained": "the model's twin with weights drawn anew",
    "permuted": "its twin with the entries of each weight matrix in random order",
    "shuffled": "the shuffled text, its tokens in random order",
}


def add_model(parser: argparse.ArgumentParser, controls: Sequence[str] = TWINS) -> None:
    """--model, --revision, --download, --stack, --window-tokens, and --control with the controls that make sense here."""
    parser.add_argument(
        "--model", type=named_model, help="hub id or folder (default: BERT where it is cached, MiniLM otherwise)"
    )
    parser.add_argument("--revision", type=named, help="revision of a hub model")
    parser.add_argument("--download", action="store_true", help="fetch the model from the hub if it is not here")
    parser.add_argument(
        "--control", choices=controls, help="; ".join(f"{control}: {CONTROL_HELP[control]}" for control in controls)
    )
    add_stack(parser)
    add_window_tokens(parser)


def add_stack(parser: argparse.ArgumentParser) -> None:
    """--stack."""
    parser.add_argument(
        "--stack",
        choices=STACKS,
        default=STACKS[0],
        help="heads of an encoder-decoder: its encoder's, its decoder's, which reads the text after the encoder did, or those of "
        "the decoder's cross-attention (default: encoder; any other model has one stack)",
    )


def add_window_tokens(parser: argparse.ArgumentParser) -> None:
    """--window-tokens."""
    parser.add_argument(
        "--window-tokens",
        type=window_tokens,
        default=WINDOW,
        metavar="N",
        help=f"tokens that are read at once, up to what the model reads (default: {WINDOW}, or what it reads where that is less)",
    )


def add_source(parser: argparse.ArgumentParser) -> None:
    """--source."""
    parser.add_argument(
        "--source",
        type=path,
        help="a text file that the encoder reads, such as an original, while the decoder reads the text that is analysed, such "
        "as its translation or summary; with --stack decoder or cross (default: both read the text that is analysed)",
    )


def under_source(options: argparse.Namespace, spec: "ModelSpec") -> "ModelSpec":
    """The model with the source that is asked for, if any. Raises InputError for a file that cannot be read."""
    if options.source is None:
        return spec
    from attn_core.texts.documents import read_file

    return replace(spec, source=read_file(options.source)[0])


def add_language(parser: argparse._ActionsContainer) -> None:
    """--language."""
    parser.add_argument(
        "--language",
        type=language,
        default=AUTO,
        help="code of the language, for sentence ends (default: auto, by each text's words)",
    )


def add_pairs(parser: argparse.ArgumentParser) -> None:
    """--layout, --measure, --share, --no-special and --unit."""
    parser.add_argument("--layout", choices=LAYOUTS, default="plain")
    parser.add_argument("--measure", choices=MEASURES, default="dot")
    parser.add_argument(
        "--share", type=share, default=SHARE, help=f"share of pairs that count as strong (default: {SHARE})"
    )
    parser.add_argument("--no-special", action="store_true", help="leave special tokens out of the pairs")
    parser.add_argument(
        "--unit", choices=UNITS, default="tokens", help="pairs of the model's tokens or of the text's words"
    )


def under_control(options: argparse.Namespace) -> "tuple[ModelSpec, Layout]":
    """Model and layout that are asked for, under the control that is; the plain layout where none can be asked for."""
    from attn_core.models.controls import controlled

    return controlled(options.control, _chosen_model(options), getattr(options, "layout", "plain"))


def _chosen_model(options: argparse.Namespace) -> "ModelSpec":
    """The model that is asked for, or the default one; downloaded first where that is asked for."""
    from attn_core.models.files import ModelSpec, default_spec, is_here

    spec = default_spec()
    if options.revision and options.model and typed_path(options.model).is_dir():
        raise InputError(f"{shown(options.model)} is a folder and has no revisions: leave --revision out.")
    if options.model or options.revision:
        spec = ModelSpec(options.model or spec.name, options.revision)
    spec = replace(spec, window_tokens=options.window_tokens, stack=options.stack)
    if options.download and not is_here(spec):
        from attn_core.models.hub import download

        download(spec)
    return spec


def chosen_settings(options: argparse.Namespace) -> "Settings":
    """What `add_pairs` asked for, the layout apart."""
    from attn_core.similarity.strong_pairs import Settings

    return Settings(options.measure, options.share, not options.no_special, options.unit)


def named(text: str) -> str:
    """A name, which is not empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError("is empty: name one, or leave the option out")
    return text


def named_model(text: str) -> str | None:
    """A model by its name; None for 'default', the one that is read where none is named."""
    return None if text == "default" else named(text)


def language(text: str) -> str:
    """The code of a language, with or without a region (pt, pt-BR); or "auto"."""
    if text != AUTO and not (CODE.fullmatch(text) and text.partition("-")[0] in ISO_639_1.split()):
        raise argparse.ArgumentTypeError(
            f"must be {AUTO} or a code of ISO 639-1 such as en, de or sv, not {shown(text)!r}"
        )
    return text


def share(text: str) -> float:
    """A number above 0 and at most 1."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"must be a number above 0 and at most 1, not {shown(text)!r}")
    return number


def positive(text: str) -> int:
    """A whole number, at least 1."""
    number = whole_number(text)
    if not number:
        raise argparse.ArgumentTypeError(f"must be a whole number, at least 1, not {shown(text)!r}")
    return number


def few(text: str) -> int:
    """A number of threads or processes."""
    number = whole_number(text)
    if number is None or not 1 <= number <= MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MOST_WORKERS:,}, not {shown(text)!r}")
    return number


def from_zero(text: str) -> int:
    """A whole number, 0 included."""
    number = whole_number(text)
    if number is None:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {2**63 - 1}, not {shown(text)!r}")
    return number


def window_tokens(text: str) -> int:
    """The length of a window; whether the model reads so much is found out when it is loaded."""
    number = whole_number(text)
    if number is None or number < SHORTEST:
        raise argparse.ArgumentTypeError(f"must be a whole number from {SHORTEST} on, not {shown(text)!r}")
    return number


def window(text: str) -> int:
    """The number of a window, from 1; whether the text has it is found out when it is cut."""
    return int(text)


def out_folder(text: str) -> Path:
    """A folder to write into, there or not."""
    if (folder := path(text)).exists() and not folder.is_dir():
        raise argparse.ArgumentTypeError(f"must name a folder, and {shown(folder)} is a file")
    return folder


def path(text: str) -> Path:
    """A file or a folder; ``~`` is the home folder where the shell has left it."""
    if not text:
        raise argparse.ArgumentTypeError("must name a file or a folder, and is empty")
    try:
        return typed_path(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
