"""The project's own Streamlit components: matrices, a shaded text, a text whose words make pairs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st


def packed(header: Mapping[str, Any], *numbers: np.ndarray) -> bytes:
    """The length of the header in four bytes, the header, and the numbers."""
    text = json.dumps(header).encode()
    return len(text).to_bytes(4, "little") + text + b"".join(np.asarray(one, "<f4").tobytes() for one in numbers)


def _asset(name: str) -> str:
    """A file beside this one."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def registered(name: str, html: str, *before: str) -> Any:
    """The component of `name`.css and `name`.js. before: scripts that it builds on. Call it once, as a module loads."""
    js = "".join(map(_asset, [*before, f"{name}.js"]))
    return st.components.v2.component(f"attn_core_{name}", html=html, css=_asset(f"{name}.css"), js=js)
