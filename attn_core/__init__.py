"""Context similarity of the outputs of attention heads, and what follows from its strongest pairs.

    text --texts--> Document, Passage --models--> HeadOutputs --similarity--> StrongPairs
         --measures--> tables --charts--> pages
                 ^ models: ModelSpec -> LoadedModel, checked at every load

    Corpus, Subjects --study--> tables, pooled over texts --claims--> verdicts

    >>> import attn_core
    >>> text = "The tide rose. The boats rose with it, and the harbour was full."
    >>> model = attn_core.load(attn_core.ModelSpec())
    >>> analysis = attn_core.analyze(text, model)
    >>> analysis.similarity("L3H10").shape  # every token with every other
    (18, 18)
    >>> reading = analysis.reading
    >>> document, passage, output = reading.document, reading.passages[0], reading.outputs[0]

Every example of the package uses these names; np is numpy.

`analysis.one_text` analyses one text, `study.runner` a corpus. `measures` has a module for each question about heads,
`ui` all code that uses Streamlit. Layers and heads count from 0 in arrays, and from 1 in tables, in names (L3H10) and
on the screen; windows count from 1 wherever they are given or shown. Names are imported on first use, so that a
program that only reads texts does not wait for torch.
"""

from importlib import import_module
from typing import Any

__version__ = "0.4.0"

_HOMES = {
    "analyze": "analysis.one_text", "analyze_reading": "analysis.one_text", "read": "analysis.reading",
    "Analysis": "analysis.one_text", "chart": "charts.catalogue",
    "load": "models.loading", "ModelSpec": "models.files", "LoadedModel": "models.records",
    "ablate": "models.loading",
    "read_document": "texts.documents", "Document": "texts.documents", "read_passages": "texts.passages",
    "Passage": "texts.passages",
    "capture": "models.capture", "HeadOutputs": "models.head_outputs",
    "context_similarity": "similarity.context_similarity", "find_strong_pairs": "similarity.selection",
    "StrongPairs": "similarity.strong_pairs", "Settings": "similarity.strong_pairs",
    "score_pairs": "patterns.pair_scores",
    "run_study": "study.runner", "Corpus": "study.corpus", "Subject": "study.subjects",
    "with_baselines": "study.subjects",
    "StudySettings": "study.settings", "Study": "study.opened",
    "InputError": "errors", "TextError": "errors", "ModelError": "errors",
}  # fmt: skip
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
