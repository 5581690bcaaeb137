"""A number with what it would be by chance."""

from typing import Any

import streamlit as st


def facts() -> Any:
    """A row for numbers (and small controls) that breaks where the page is narrow."""
    return st.container(horizontal=True, gap="medium")


def beside_chance(label: str, value: str, chance: str | None, explanation: str | None = None) -> None:
    """A large number, and below it, small and grey, its chance level in words."""
    st.metric(label, value, chance, help=explanation, delta_color="off", delta_arrow="off", width="content")
