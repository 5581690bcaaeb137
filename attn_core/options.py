"""What commands are asked, option by option: a parser's options and the command that asks for the same again come from here."""

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any

from attn_core.errors import InputError
from attn_core.io.paths import shown, typed_path
from attn_core.models.controls import SEEDS, control_of
from attn_core.models.files import SHORTEST, STACKS, TWINS, WINDOW, ModelSpec
from attn_core.similarity.strong_pairs import MEASURES, SHARE
from attn_core.similarity.words import UNITS
from attn_core.texts.languages import AUTO, is_known
from attn_core.texts.passages import LAYOUTS, Layout

MOST_WORKERS = 1024
DIGITS = re.compile(r"[0-9]{1,18}")
CONTROL_HELP = {
    "untrained": "the model's twin with weights drawn anew",
    "permuted": "its twin with the entries of each weight matrix in random order",
    "shuffled": "the shuffled text, its tokens in random order",
}


def named(text: str) -> str:
    """A name, which is not empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError("is empty: name one, or leave the option out")
    return text


def named_model(text: str) -> str | None:
    """A model by its name; None for 'default', the one that is read where none is named."""
    return None if text == "default" else named(text)


def corpus_name(text: str) -> str:
    """What a corpus is called in a folder."""
    if "/" in text or "\\" in text:
        raise argparse.ArgumentTypeError(f"is a name and no path, not {shown(text)!r}")
    return named(text)


def language(text: str) -> str:
    """The code of a language, with or without a region (pt, pt-BR); or "auto"."""
    if text != AUTO and not is_known(text):
        raise argparse.ArgumentTypeError(
            f"must be {AUTO} or a code of ISO 639 such as en, de or sv, not {shown(text)!r}"
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
    return _whole(text, 1, "a whole number, at least 1")


def few(text: str) -> int:
    """A number of threads or processes."""
    return _whole(text, 1, f"a whole number from 1 to {MOST_WORKERS:,}", MOST_WORKERS)


def from_zero(text: str) -> int:
    """A whole number, 0 included."""
    return _whole(text, 0, "a whole number from 0 on")


def window_tokens(text: str) -> int:
    """The length of a window; whether the model reads so much is found out when it is loaded."""
    return _whole(text, SHORTEST, f"a whole number from {SHORTEST} on")


def _whole(text: str, least: int, what: str, most: float = float("inf")) -> int:
    number = int(text) if DIGITS.fullmatch(text) else -1
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"must be {what}, not {shown(text)!r}")
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


@dataclass(frozen=True)
class Option:
    """An option that several commands have. default: where it is left out. how: it is parsed, as argparse takes it.

    flag: where it is not the name of what it sets.
    """

    help: str
    default: Any = None
    how: Mapping[str, Any] = field(default_factory=dict)
    flag: str = ""


def _controls(controls: Sequence[str]) -> str:
    return "; ".join(f"{control}: {CONTROL_HELP[control]}" for control in controls)


OPTIONS: dict[str, Option] = {
    "model": Option("hub id or folder (default: BERT where it is cached, MiniLM otherwise)", None, {"type": named_model}),
    "revision": Option("revision of a hub model", None, {"type": named}),
    "control": Option(_controls(TWINS), None, {"choices": TWINS}),
    "stack": Option(
        "heads of an encoder-decoder: its encoder's, its decoder's, which reads the text after the encoder did, or those of "
        "the decoder's cross-attention (default: encoder; any other model has one stack)",
        STACKS[0], {"choices": STACKS},
    ),
    "window_tokens": Option(
        f"tokens that are read at once, up to what the model reads (default: {WINDOW}, or what it reads where that is less)",
        WINDOW, {"type": window_tokens, "metavar": "N"},
    ),
    "column": Option("the column of .jsonl, .csv and .parquet that holds the texts"),
    "documents": Option(
        "what one text of a text file is: the file, a block between blank lines, or a line (default: file)",
        "file", {"choices": ["file", "blank-line", "line"]},
    ),
    "limit": Option("only the first so many texts", None, {"type": positive}),
    "groups": Option(
        "which texts are of one work and drawn together for intervals: by a column of tables, by their folder, or by the first "
        "group of a regular expression on the file's name",
        None, {"metavar": "COLUMN|folder|REGEX"},
    ),
    "language": Option(
        "code of the language, for sentence ends (default: auto, by each text's words)", AUTO, {"type": language}
    ),
    "layout": Option("where separators stand (default: plain)", "plain", {"choices": LAYOUTS}),
    "measure": Option("of similarity; dot is the scalar product (default: dot)", "dot", {"choices": MEASURES}),
    "share": Option(f"share of pairs that count as strong (default: {SHARE})", SHARE, {"type": share}),
    "with_special": Option(
        "leave special tokens out of the pairs", True, {"action": "store_false"}, flag="--no-special"
    ),
    "unit": Option("pairs of the model's tokens or of the text's words", "tokens", {"choices": UNITS}),
    "windows": Option("windows that are read of each document (default: 4)", 4, {"type": positive}),
    "twins": Option(f"twins of each kind and model (default: {SEEDS})", SEEDS, {"type": positive}),
    "name": Option("what the corpus is called (default: after its file or folder)", None, {"type": corpus_name}),
    "seed": Option("of what is drawn (default: 0)", 0, {"type": from_zero}),
    "shard_characters": Option("text that is counted at once (default: up to 128,000)", None, {"type": positive}),
}  # fmt: skip
MODEL = ("model", "revision", "control", "stack", "window_tokens")
PAIRS = ("layout", "measure", "share", "with_special", "unit")  # as of `similarity.strong_pairs.Settings`
CORPUS = ("column", "documents", "limit", "groups", "language")


def add_options(parser: argparse._ActionsContainer, *names: str, **changes: Any) -> None:
    """Add options by name. changes: of how they are parsed, or told, here."""
    for name in names:
        option = OPTIONS[name]
        how = {"help": option.help, "default": option.default, **option.how, **changes}
        parser.add_argument(flag_of(name), dest=name, **how)


def add_model(parser: argparse.ArgumentParser, controls: Sequence[str] = TWINS) -> None:
    """The options of a model, --download, and --control with the controls that make sense here."""
    add_options(parser, *(name for name in MODEL if name != "control"))
    add_options(parser, "control", choices=controls, help=_controls(controls))
    parser.add_argument("--download", action="store_true", help="fetch the model from the hub if it is not here")


def flag_of(name: str) -> str:
    """The option as it is typed: with_special -> --no-special."""
    return OPTIONS[name].flag or f"--{name.replace('_', '-')}"


def to_argv(*values: Any) -> list[str]:
    """The options that ask for these values, dataclasses or mappings; what a command does by itself is left out.

    >>> to_argv(Settings("cosine", with_special=False), {"seed": 0, "limit": 12})
    ['--limit', '12', '--measure', 'cosine', '--no-special']
    """
    given: dict[str, Any] = {}
    for each in values:
        given |= asdict(each) if is_dataclass(each) and not isinstance(each, type) else each
    argv: list[str] = []
    for name, option in OPTIONS.items():
        if (value := given.get(name)) is not None and value != option.default:
            flag, text = flag_of(name), str(value)
            argv += [flag] if "action" in option.how else [f"{flag}={text}"] if text[:1] == "-" else [flag, text]
    return argv


def model_values(spec: ModelSpec, layout: Layout = "plain") -> dict[str, Any]:
    """What a command is asked for a model or its twin, and for a layout or the shuffled text."""
    control = control_of(spec, layout)
    return {
        "model": spec.name, "revision": spec.revision, "stack": spec.stack, "window_tokens": spec.window_tokens,
        "control": control, "layout": "plain" if layout == "shuffled" else layout,
    }  # fmt: skip
