"""What the terms mean that stand on the pages, in the README and in reports: terms.toml."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


def question() -> str:
    """What all of it asks, in Markdown."""
    return _told()["question"]


def paper() -> tuple[str, str]:
    """The paper in Markdown, and its address."""
    return _told()["paper"], _told()["address"]


def terms() -> dict[str, str]:
    """The meaning of every term by its key, in Markdown."""
    return _told()["terms"]


@cache
def _told() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "terms.toml").read_text("utf-8"))
