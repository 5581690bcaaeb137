"""What was asked for in options that several commands have: a model, a text, settings. Torch is loaded after the text is read."""

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
    """Model and layout that are asked for, under the control that is; the plain layout where none can be asked for."""
    from attn_core.models.controls import controlled

    if options.revision and options.model and typed_path(options.model).is_dir():
        raise InputError(f"{shown(options.model)} is a folder and has no revisions: leave --revision out.")
    spec = chosen_model(options.model, options, options.revision)
    return controlled(options.control, spec, getattr(options, "layout", "plain"))


def chosen_model(name: str | None, options: argparse.Namespace, revision: str | None = None) -> "ModelSpec":
    """A model by its name, or the default one, as stack and windows are asked for; downloaded first where that is."""
    from attn_core.models.files import ModelSpec, default_spec

    spec = default_spec()
    if name or revision:
        spec = ModelSpec(name or spec.name, revision)
    spec = replace(spec, window_tokens=options.window_tokens, stack=options.stack)
    return fetched(spec, getattr(options, "download", False))


def fetched(spec: "ModelSpec", download: bool) -> "ModelSpec":
    """The same model; downloaded first where it is not here and that is asked for."""
    from attn_core.models import files

    if download and not files.is_here(spec):
        files.download(spec)
    return spec


def chosen_settings(options: argparse.Namespace) -> "Settings":
    """What decides the strong pairs."""
    from attn_core.similarity.strong_pairs import Settings

    return Settings(options.measure, options.share, options.with_special)


def read_text(file: Path, language: str) -> "Document":
    """The text of a file."""
    from attn_core.texts import documents

    return documents.read_document(documents.read_file(file)[0], language)


def analyzed(options: argparse.Namespace, document: "Document", window: int | None = None, **how: Any) -> "Analysis":
    """A text as model and settings are asked for. how: of `read`."""
    from attn_core.analysis.one_text import analyze_reading
    from attn_core.analysis.reading import read
    from attn_core.models import loading

    spec, layout = under_control(options)
    reading = read(loading.load(spec), document, layout, window, unit=options.unit, **how)
    return analyze_reading(reading, chosen_settings(options))
