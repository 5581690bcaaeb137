"""What tests of pages share."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_core.texts import own_texts
from attn_core.ui.components import matrix_canvas


@pytest.fixture(autouse=True)
def no_texts_of_other_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that is pasted on a page is kept, and the next page would offer it."""
    monkeypatch.setattr(own_texts, "folder", lambda: tmp_path / "own texts")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the component is given, call after call; each panel with its `numbers`, and those of its cells where one zooms."""
    calls: list[dict[str, Any]] = []

    def component(data: bytes, **_: object) -> dict[str, Any]:
        calls.append(unpacked(data))
        return {}

    monkeypatch.setattr(matrix_canvas, "_component", component)
    return calls


def unpacked(data: bytes) -> dict[str, Any]:
    """What `packed.js` makes of it."""
    start = 4 + int.from_bytes(data[:4], "little")
    header = json.loads(data[4:start])
    codes = np.frombuffer(data[start:], "<u2")
    for numbers in header["numbers"]:
        numbers["codes"], codes = codes[: numbers["length"]], codes[numbers["length"] :]
    assert not len(codes)
    panels = header["panels"]
    for panel, numbers in zip(panels, header["numbers"][: len(panels)], strict=True):
        panel |= numbers
    for panel, numbers in zip(panels, header["numbers"][len(panels) :], strict=bool(header["detail"])):
        panel["cells"] = numbers
    return header
