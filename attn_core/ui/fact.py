"""A number with what it would be by chance."""

from typing import Any

import streamlit as st


def beside_chance(place: Any, label: str, value: str, chance: str, explanation: str | None = None) -> None:
    """A large number, and below it, small and grey, its chance level in words."""
    place.metric(label, value, chance, help=explanation, delta_color="off", delta_arrow="off")


def shares(*columns: str) -> dict[str, Any]:
    """Streamlit's column settings for shares that no statistic of the heads table names."""
    return {c: st.column_config.NumberColumn(c.replace("_", " "), format="percent") for c in columns}
