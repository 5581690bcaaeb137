"""What attention heads make alike: context similarity of head outputs, and what follows from its strongest pairs.

    text --texts--> Document --passages--> Passage --capture--> HeadOutputs
         --similarity--> StrongPairs --measures--> tables --charts--> pages
                 ^ models: ModelSpec -> LoadedModel, checked at every load

    >>> import attn_core
    >>> found = attn_core.analyze("The tide rose. The boats rose with it, and the harbour was full.")
    >>> found.heads[["layer", "head", "mean_distance", "chance_mean_distance", "anchor"]]

`analysis` tells the way in one place. Each question about heads is a file in `measures`. Everything of streamlit is in
`ui`. Layers and heads count from 0 in arrays and from 1 in tables and on the screen. Names are imported when first
used, so that a program that wants the texts only need not wait for torch.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "analyze": "analysis", "analyze_reading": "analysis", "read": "analysis", "Analysis": "analysis",
    "load": "models", "ModelSpec": "model_files", "LoadedModel": "loaded_model",
    "read_document": "texts", "Document": "texts", "read_passages": "passages", "Passage": "passages",
    "capture": "capture", "HeadOutputs": "head_outputs",
    "context_similarity": "similarity_measures", "find_strong_pairs": "similarity",
    "StrongPairs": "strong_pairs", "Settings": "strong_pairs",
    "HeadStatisticsCallback": "series.callback", "open_series": "series.opened",
    "InputError": "errors",
}  # fmt: skip
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
