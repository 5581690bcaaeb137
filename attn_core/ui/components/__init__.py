"""The project's own Streamlit components: matrices, a shaded text, a text whose words make pairs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

# What `packed` made, as the browser reads it: the header, and all numbers in one array, copied to an even place.
UNPACKED = """
function unpacked(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const numbers = new Float32Array(bytes.slice(4 + length).buffer);
  return { ...JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))), numbers };
}
"""


def packed(header: Mapping[str, Any], *numbers: np.ndarray) -> bytes:
    """Bytes for the browser: the length of the header in four bytes, the header as JSON, and the numbers as float32."""
    text = json.dumps(header).encode()
    return len(text).to_bytes(4, "little") + text + b"".join(np.asarray(one, "<f4").tobytes() for one in numbers)


def registered(name: str, html: str, *parts: str) -> Any:
    """The Streamlit component of `name`.js and `name`.css, after those of its parts. Call it once a module."""
    files = {kind: [Path(__file__).with_name(f"{one}.{kind}") for one in (*parts, name)] for kind in ("css", "js")}
    css, js = ("".join(file.read_text("utf-8") for file in some if file.is_file()) for some in files.values())
    return st.components.v2.component(f"attn_core_{name}", html=html, css=css, js=UNPACKED + js)


def run_again() -> None:
    """Do nothing: as the callback of a component it makes the page run again after a pick or a pin."""
