"""The options of commands: their parsers and help texts, and the command line that gives the same values."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

from attn_core.errors import InputError
from attn_core.io.paths import local_folder, printable, typed_path
from attn_core.models.baselines import apply_control
from attn_core.models.files import COPIES, DEFAULT, SHORTEST, STACKS, WINDOW, ModelSpec, download, is_available_offline
from attn_core.similarity.strong_pairs import MEASURES, SHARE, Settings
from attn_core.similarity.words import UNITS
from attn_core.texts.documents import ASSUMED, Document, read_document, read_file
from attn_core.texts.languages import AUTO, is_known
from attn_core.texts.passages import LAYOUTS, Layout

DIGITS = re.compile(r"[0-9]{1,18}")
CONTROL_HELP = {  # in the order of `models.baselines.CONTROLS`
    "untrained": "a copy of the model with weights drawn anew",
    "shuffled_weights": "a copy with the entries of each weight matrix in random order",
    "shuffled_text": "the shuffled text, its tokens in random order",
}


def named(text: str) -> str:
    """A name, which is not empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError("is empty: name one, or leave the option out")
    return text


def language(text: str) -> str:
    """The code of a language, with or without a region (pt, pt-BR); or "auto"."""
    if text != AUTO and not is_known(text):
        raise argparse.ArgumentTypeError(f"must be {AUTO} or a code of ISO 639 such as de, not {printable(text)!r}")
    return text


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """The parser of a whole number from `least` on, or from there to `most`."""

    def number(text: str) -> int:
        found = int(text) if DIGITS.fullmatch(text) else -1
        if not least <= found <= (most or found):
            limit = f"to {most:,}" if most else "on"
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} {limit}, not {printable(text)!r}")
        return found

    return number


positive, from_zero, few = whole(1), whole(0), whole(1, 1024)  # few: threads or processes


def out_folder(text: str) -> Path:
    """A folder to write into, which may not exist yet."""
    if (folder := path(text)).exists() and not folder.is_dir():
        raise argparse.ArgumentTypeError(f"must name a folder, and {printable(folder)} is a file")
    return folder


def path(text: str) -> Path:
    """A file or a folder; ``~`` is the home folder where the shell has left it."""
    if not text:
        raise argparse.ArgumentTypeError("must name a file or a folder, and is empty")
    try:
        return typed_path(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def describe_controls(controls: Iterable[str]) -> str:
    """A description of each control."""
    return "; ".join(f"{control}: {CONTROL_HELP[control]}" for control in controls)


OPTIONS: dict[str, dict[str, Any]] = {  # as argparse takes them
    "model": {
        "help": f"hub id or folder (default: {DEFAULT}, BERT where it is cached, MiniLM otherwise)",
        "default": DEFAULT, "type": named,
    },
    "revision": {"help": "revision of a hub model", "type": named},
    "control": {"help": describe_controls(COPIES), "choices": COPIES},
    "stack": {
        "help": "heads of an encoder-decoder: of its encoder, its decoder, which reads the text after the encoder, or "
        "the decoder's cross-attention (default: encoder; any other model has one stack)",
        "default": STACKS[0], "choices": STACKS,
    },
    "window_tokens": {
        "help": f"tokens of a window, up to what the model reads (default: {WINDOW}, or what it reads if less)",
        "default": WINDOW, "type": whole(SHORTEST), "metavar": "N",
    },
    "column": {"help": "the column of .jsonl, .csv and .parquet that holds the texts"},
    "documents": {
        "help": "what one text of a text file is: the file, a block between blank lines, or a line (default: file)",
        "default": "file", "choices": ["file", "blank-line", "line"],
    },
    "limit": {"help": "only the first so many texts", "type": positive},
    "groups": {
        "help": "which texts are of one work and left out together for intervals: by a column of tables, by folder, or "
        "by the first group of a regular expression on the file's name",
        "metavar": "COLUMN|folder|REGEX",
    },
    "language": {
        "help": "code of the language, for sentence ends (default: auto, by each text's words)",
        "default": AUTO, "type": language,
    },
    "layout": {"help": "where separators stand (default: plain)", "default": "plain", "choices": LAYOUTS},
    "measure": {
        "help": "of similarity; dot: the scalar product (default: dot)", "default": "dot", "choices": MEASURES
    },
    "share": {"help": f"share of pairs that count as strong (default: {SHARE})", "default": SHARE, "type": float},
    "with_special": {"help": "leave special tokens out of the pairs", "default": True, "action": "store_false"},
    "every_setting": {"help": "also the claims under every setting the paper leaves open", "action": "store_true"},
    "entropy": {"help": "also how sure of a word each layer is, by the language-model head", "action": "store_true"},
    "stable_roles": {"help": "also the roles of heads in each text that hang on no setting", "action": "store_true"},
    "sources": {"help": "also the token that most of a head's pairs read, by text", "action": "store_true"},
    "windows": {"help": "only the first windows of each text (default: all)", "type": positive, "metavar": "N"},
    "unit": {"help": "pairs of the model's tokens or of the text's words", "default": "tokens", "choices": UNITS},
    "seed": {"help": "of what is drawn (default: 0)", "default": 0, "type": from_zero},
    "window": {"help": "one window of a long text, from 1 (default: all, pooled)", "type": int},
    "overwrite": {"help": "replace the tables of an earlier run in that folder", "action": "store_true"},
    "shard_characters": {"help": "text that is counted at once (default: up to 128,000)", "type": positive},
}  # fmt: skip
FLAGS = {"with_special": "--no-special"}  # of options that are not typed by their names
MODEL = ("model", "revision", "control", "stack", "window_tokens")
PAIRS = ("layout", "measure", "share", "with_special", "unit")  # as of `similarity.strong_pairs.Settings`
ALSO = ("every_setting", "entropy", "stable_roles", "sources")  # as of `study.settings.StudySettings`
CORPUS = ("column", "documents", "limit", "groups", "language")


def add_options(parser: argparse._ActionsContainer, *names: str, **changes: Any) -> None:
    """Add options by name. changes: arguments of `add_argument` that differ here."""
    for name in names:
        parser.add_argument(flag_of(name), dest=name, **OPTIONS[name] | changes)


def add_model(parser: argparse.ArgumentParser, controls: Iterable[str] = COPIES) -> None:
    """Add the options of a model, --download, and --control with some of the controls."""
    add_options(parser, *(name for name in MODEL if name != "control"))
    add_options(parser, "control", choices=controls, help=describe_controls(controls))
    parser.add_argument("--download", action="store_true", help="fetch the model from the hub if it is not here")


def flag_of(name: str) -> str:
    """The option as it is typed: with_special -> --no-special."""
    return FLAGS.get(name) or f"--{name.replace('_', '-')}"


def to_argv(*values: Any) -> list[str]:
    """The options for these values, from dataclasses or mappings; defaults are left out.

    >>> to_argv(Settings("cosine", with_special=False), {"seed": 0, "limit": 12})
    ['--limit', '12', '--measure', 'cosine', '--no-special']
    """
    given: dict[str, Any] = {}
    for each in values:
        given |= asdict(each) if is_dataclass(each) and not isinstance(each, type) else each
    argv: list[str] = []
    for name, option in OPTIONS.items():
        if (value := given.get(name)) is not None and value != option.get("default", False):
            flag, text = flag_of(name), str(value)
            argv += [flag] if "action" in option else [f"{flag}={text}"] if text[:1] == "-" else [flag, text]
    return argv


def under_control(options: argparse.Namespace) -> tuple[ModelSpec, Layout]:
    """The model and layout of the options under their control; the model is downloaded first if --download is given."""
    spec = ModelSpec(options.model, options.revision, window_tokens=options.window_tokens, stack=options.stack)
    if spec.revision and local_folder(spec.name):
        raise InputError(f"{printable(spec.name)} is a folder and has no revisions: leave --revision out.")
    return apply_control(options.control, fetched(spec, options.download), getattr(options, "layout", "plain"))


def fetched(spec: ModelSpec, from_hub: bool) -> ModelSpec:
    """The same model, downloaded first if it is not on this machine and from_hub is true."""
    if from_hub and not is_available_offline(spec):
        download(spec)
    return spec


def chosen_settings(options: argparse.Namespace) -> Settings:
    """The settings of strong pairs in the options."""
    return Settings(options.measure, options.share, options.with_special)


def read_text(file: Path, language: str) -> Document:
    """The document of a file; an encoding that is assumed is said on standard error."""
    text, encoding = read_file(file)
    say_encoding(file.name, encoding)
    return read_document(text, language)


def say_encoding(name: str, encoding: str) -> None:
    """Print to standard error that the encoding of a text was assumed, if it was."""
    if encoding == ASSUMED:
        print(f"{printable(name)} is read as {encoding}", file=sys.stderr)


def say_encodings(number: int) -> None:
    """Print to standard error for how many texts of a corpus the encoding was assumed, if for any."""
    if number:
        print(f"{number:,} of the texts read as {ASSUMED}", file=sys.stderr)
