"""What the options of several commands mean: a model, a text, settings. Torch is loaded after the text is read."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attn_core.errors import InputError
from attn_core.io.paths import shown, typed_path

if TYPE_CHECKING:
    from attn_core.analysis.one_text import Analysis
    from attn_core.models.files import ModelSpec
    from attn_core.similarity.strong_pairs import Settings
    from attn_core.texts.documents import Document
    from attn_core.texts.passages import Layout


def under_control(options: argparse.Namespace) -> "tuple[ModelSpec, Layout]":
    """The model and layout of the options, under the control of the options; downloaded first where --download asks."""
    from attn_core.models.controls import controlled
    from attn_core.models.files import ModelSpec, default_spec

    if options.revision and options.model and typed_path(options.model).is_dir():
        raise InputError(f"{shown(options.model)} is a folder and has no revisions: leave --revision out.")
    spec = default_spec()
    if options.model or options.revision:
        spec = ModelSpec(options.model or spec.name, options.revision)
    spec = replace(spec, window_tokens=options.window_tokens, stack=options.stack)
    return controlled(options.control, fetched(spec, options.download), getattr(options, "layout", "plain"))


def fetched(spec: "ModelSpec", download: bool) -> "ModelSpec":
    """The same model, downloaded first where it is not here and download is true."""
    from attn_core.models import files

    if download and not files.is_here(spec):
        files.download(spec)
    return spec


def chosen_settings(options: argparse.Namespace) -> "Settings":
    """The settings of the strong pairs."""
    from attn_core.similarity.strong_pairs import Settings

    return Settings(options.measure, options.share, options.with_special)


def read_text(file: Path, language: str) -> "Document":
    """The text of a file."""
    from attn_core.texts import documents

    return documents.read_document(documents.read_file(file)[0], language)


def analyzed(options: argparse.Namespace, document: "Document", window: int | None = None, **how: Any) -> "Analysis":
    """The analysis of a text with the model and settings of the options. how: of `read`."""
    from attn_core.analysis.one_text import analyze_reading
    from attn_core.analysis.reading import read
    from attn_core.models import loading

    spec, layout = under_control(options)
    reading = read(loading.load(spec), document, layout, window, unit=options.unit, **how)
    return analyze_reading(reading, chosen_settings(options))
