"""JSON that can tell whether it is still what was written: an object that holds the SHA-256 of what else is in it."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any


def read_json(path: Path) -> dict[str, Any] | None:
    """The JSON object that `to_json` has made; None where there is none, and where it is damaged."""
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or told.pop("sha256", None) != _digest(told):
        return None
    return told


def to_json(value: Mapping[str, object]) -> bytes:
    """A JSON object with the SHA-256 of what is in it."""
    signed = {**value, "sha256": _digest(value)}
    try:
        return json.dumps(signed, indent=2, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # the name of a file that is no UTF-8
        return json.dumps(signed, indent=2).encode()


def _digest(value: Mapping[str, object]) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
