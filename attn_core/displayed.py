"""The base class of what a notebook displays."""

from importlib import import_module


class Displayed:
    """An object that a notebook displays as `report.notebook` describes it, which is imported on first use."""

    def _repr_html_(self) -> str:
        return import_module("attn_core.report.notebook").as_html(self)
