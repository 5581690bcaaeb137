"""What tests of pages share."""

from typing import Any

import pytest

from attn_core.ui import matrix_canvas


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the component is given, call after call."""
    calls: list[dict[str, Any]] = []

    def component(data: dict[str, Any], **_: object) -> dict[str, Any]:
        calls.append(data)
        return {}

    monkeypatch.setattr(matrix_canvas, "_component", component)
    return calls
