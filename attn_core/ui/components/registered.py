"""How a component (`st.components.v2`) is made of the files beside this one."""

from pathlib import Path
from typing import Any

import streamlit as st


def _asset(name: str) -> str:
    """A file beside this one."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def registered(name: str, html: str, *before: str) -> Any:
    """The component of `name`.css and `name`.js; before: scripts that this one builds on. Call it once, as a module loads."""
    js = "".join(map(_asset, [*before, f"{name}.js"]))
    return st.components.v2.component(f"attn_core_{name}", html=html, css=_asset(f"{name}.css"), js=js)
