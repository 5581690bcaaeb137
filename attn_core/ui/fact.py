"""A number with what it would be by chance."""

from typing import Any

import streamlit as st


def facts() -> Any:
    """A row for numbers (and small controls) that breaks where the page is narrow."""
    return st.container(horizontal=True, gap="medium")


def beside_chance(label: str, value: str, chance: str | None, explanation: str | None = None) -> None:
    """A large number, and below it, small and grey, its chance level in words."""
    st.metric(label, value, chance, help=explanation, delta_color="off", delta_arrow="off", width="content")


def shares(*columns: str) -> dict[str, Any]:
    """Streamlit's column settings for shares that no statistic of the heads table names."""
    return {c: st.column_config.NumberColumn(c.replace("_", " "), format="percent") for c in columns}
