"""What tests of pages share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from attn_core.models.files import ModelSpec
from attn_core.texts import own_texts
from attn_core.ui.components import matrix_canvas
from attn_core.ui.runs import background
from attn_core.ui.shell import page, sidebar
from attn_core.ui.widgets import show


@pytest.fixture(autouse=True)
def no_texts_of_other_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that is pasted on a page is kept, and the next page would offer it."""
    monkeypatch.setattr(own_texts, "folder", lambda: tmp_path / "own texts")


@pytest.fixture
def tiny_default(tiny: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no model is chosen, or one that cannot be had, a page reads with a tiny one."""
    monkeypatch.setattr(sidebar, "default_spec", lambda: tiny)
    monkeypatch.setattr(page, "ModelSpec", lambda *given: ModelSpec(*given or [tiny.name]))


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands that would have been started."""
    commands: list[list[str]] = []

    class Started:
        pid = 1 << 30

        def __init__(self, command: list[str], **_options: Any) -> None:
            commands.append(command)

    monkeypatch.setattr(background.subprocess, "Popen", Started)
    return commands


@pytest.fixture
def studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where studies lie; there is none yet, and none comes with the project."""
    monkeypatch.setattr(background, "SAMPLES", tmp_path / "samples")
    monkeypatch.setenv("ATTN_CORE_STUDIES", str(tmp_path / "studies"))
    return tmp_path / "studies"


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[pd.DataFrame, dict[str, Any]]]:
    """Every table that a page has shown, by name, with its provenance."""
    tables: dict[str, tuple[pd.DataFrame, dict[str, Any]]] = {}

    def note(table: pd.DataFrame | Callable[[], pd.DataFrame], name: str, of: dict[str, Any], **_: object) -> None:
        tables[name] = table if isinstance(table, pd.DataFrame) else table(), dict(of)

    monkeypatch.setattr(show, "csv_button", note)
    return tables


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the component is given, call after call; each panel with its values."""
    calls: list[dict[str, Any]] = []

    def component(data: bytes, **_: object) -> dict[str, Any]:
        calls.append(unpacked(data))
        return {}

    monkeypatch.setattr(matrix_canvas, "_component", component)
    return calls


def unpacked(data: bytes) -> dict[str, Any]:
    """What the browser makes of it, each panel with its values."""
    start = 4 + int.from_bytes(data[:4], "little")
    header = json.loads(data[4:start])
    points = -(-len(header["names"]) // header["block"])
    values = np.frombuffer(data[start:], "<f4").reshape(-1, points, points)
    for panel, of_panel in zip(header["panels"], values, strict=True):
        panel["values"] = of_panel
    return header
