"""How a component (`st.components.v2`) is made of the files beside this one, and how it gets its numbers: a header of JSON, and
behind it 16 bit numbers as they lie in memory; `packed.js` reads them.

As text they would be a third longer, and Streamlit would go through every letter of them twice at every run.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, log10
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

BLANK = 65535


@dataclass(frozen=True, eq=False)
class Codes:
    """Numbers in 16 bits: low + code * (high - low) / 65534, where `range` is (low, high); 65535 is "not finite".

    digits: how many decimals that resolution supports.
    """

    codes: np.ndarray
    range: tuple[float, float]
    digits: int


def quantise(values: np.ndarray) -> Codes:
    """Values of any shape, each rounded to the nearest code: off by (maximum - minimum) / 131068 at most."""
    finite = np.isfinite(values)
    low, high = (float(values[finite].min()), float(values[finite].max())) if finite.any() else (0.0, 0.0)
    span = high - low
    codes = np.rint((np.where(finite, values, low) - low) * ((BLANK - 1) / (span or 1.0)))
    digits = min(12, max(0, floor(-log10(span / BLANK)))) if span else 4
    return Codes(np.where(finite, codes, BLANK).astype("<u2"), (low, high), digits)


def packed(header: Mapping[str, Any], *numbers: Codes) -> bytes:
    """The header with `numbers`, which tells length, range and digits of each; its length goes before it, in four bytes."""
    described = [{"length": one.codes.size, "range": one.range, "digits": one.digits} for one in numbers]
    text = json.dumps({**header, "numbers": described}).encode()
    text += b" " * (len(text) % 2)  # so that the numbers begin where a browser can read two bytes at once
    return len(text).to_bytes(4, "little") + text + b"".join(one.codes.tobytes() for one in numbers)


def _asset(name: str) -> str:
    """A file beside this one."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def registered(name: str, html: str, *before: str) -> Any:
    """The component of `name`.css and `name`.js; before: scripts that this one builds on. Call it once, as a module loads."""
    js = "".join(map(_asset, [*before, f"{name}.js"]))
    return st.components.v2.component(f"attn_core_{name}", html=html, css=_asset(f"{name}.css"), js=js)
