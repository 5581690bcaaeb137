"""What tests of pages share."""

import json
from typing import Any

import numpy as np
import pytest

from attn_core.ui.widgets import matrix_canvas


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the component is given, call after call; each panel with its `numbers`."""
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
    for panel, numbers in zip(header["panels"], header["numbers"], strict=True):
        panel |= numbers | {"codes": codes[: numbers["length"]]}
        codes = codes[numbers["length"] :]
    assert not len(codes)
    return header
