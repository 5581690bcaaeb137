"""A text as a model read it at an earlier start: its windows, its head outputs and strong pairs, without torch or the model.

What is kept (`disk_cache`) is what only the model can tell: tables are made anew. Of the attention maps, the largest by far,
only those that were looked at. A key changes with the model's files, the text, the settings, the modules that read it, and
their libraries.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.analysis.reading import Reading, read, windows_of
from attn_core.head import Head
from attn_core.io import disk_cache
from attn_core.io.code_digest import counting_digest
from attn_core.io.tables import software
from attn_core.measures.window import Window
from attn_core.models.files import ModelSpec, locate, with_files
from attn_core.models.head_outputs import HeadOutputs, as_array, evenly_received
from attn_core.models.records import KnownModel, LoadedModel, SelfCheck
from attn_core.similarity.strong_pairs import Settings, Strength, StrongPairs, Unit
from attn_core.texts.documents import Document, Sample, read_document
from attn_core.texts.passages import ARRAYS, Layout, Passage

OF_PAIRS = ("eligible", "first", "second", "similarity")
KEPT_TABLES = ("statistics",)
OF_STRENGTH = ("longest", "aligned_bar", "reached", "looked", "reached_aligned", "rates")
OF_MODEL = ("revision", "family", "layers", "heads", "max_tokens", "causal")


def find_longest(spec: ModelSpec) -> int | None:
    """How many tokens a model reads at once, at most, or None. Raises ModelError where the model's files are not here."""
    entry = disk_cache.find(_key(with_files(spec, locate(spec)), "longest"))
    return entry.facts["longest"] if entry else None


def keep_longest(model: LoadedModel) -> None:
    """Keep how many tokens a model reads at once."""
    disk_cache.keep(_key(model.spec, "longest"), {}, {"longest": model.longest})


def find_passages(spec: ModelSpec, document: Document, language: str, layout: Layout) -> tuple[Passage, ...] | None:
    """All windows of a text, or None. Raises ModelError where the model's files are not here."""
    entry = disk_cache.find(_key(with_files(spec, locate(spec)), document.text, language, layout, "passages"))
    return _passages(entry, document) if entry else None


def keep_passages(
    model: LoadedModel, document: Document, language: str, layout: Layout, passages: Sequence[Passage]
) -> None:
    """Keep all windows of a text."""
    arrays, facts = _of_passages(passages)
    disk_cache.keep(_key(model.spec, document.text, language, layout, "passages"), arrays, facts)


def find_reading(
    spec: ModelSpec,
    document: Document,
    language: str,
    layout: Layout,
    window: int | None,
    loaded: Callable[[], LoadedModel],
) -> Reading | None:
    """A window of a text (None: all) as the model read it, or None. `loaded` is called where the model itself is asked for.

    Raises ModelError where the model's files are not here.
    """
    spec = with_files(spec, locate(spec))
    entry = disk_cache.find(_key(spec, document.text, language, layout, "reading", window))
    if entry is None:
        return None
    facts, arrays = entry.facts, entry.arrays
    passages = _passages(entry, document)
    causal = facts["model"]["causal"]
    outputs = tuple(
        HeadOutputs(arrays[f"z {n}"], arrays[f"received {n}"], None, evenly_received(len(passage), causal, spec.stack))
        for n, passage in enumerate(passages)
    )
    check = SelfCheck(**{**facts["check"], "captures": tuple(facts["check"]["captures"])})
    model = KnownModel(spec=spec, device=facts["device"], check=check, loaded=loaded, **facts["model"])
    return Reading(model, document, layout, passages, outputs)


def keep_reading(reading: Reading, language: str, window: int | None) -> None:
    """Keep a reading by a model that was loaded, without its attention maps."""
    model = reading.model
    assert model.check is not None, "a model that was loaded was checked"
    arrays, facts = _of_passages(reading.passages)
    for number, output in enumerate(reading.outputs):
        arrays |= {f"z {number}": as_array(output.z), f"received {number}": as_array(output.received)}
    facts |= {
        "model": {name: getattr(model, name) for name in OF_MODEL},
        "device": str(model.device),
        "check": asdict(model.check),
    }
    disk_cache.keep(_key(model.spec, reading.document.text, language, reading.layout, "reading", window), arrays, facts)


def find_analysis(reading: Reading, language: str, window: int | None, settings: Settings) -> Analysis | None:
    """The strong pairs that were chosen from a reading in the unit of the settings, or None."""
    entry = disk_cache.find(_key_of(reading, language, window, "pairs", settings))
    if entry is None:
        return None
    measured = []
    for at in entry.facts["windows"]:
        pairs = StrongPairs(reading.passages[at], **{name: entry.arrays[f"{name} {at}"] for name in OF_PAIRS})
        strength = Strength(**{name: entry.arrays[f"{name} {at}"] for name in OF_STRENGTH})
        output = reading.outputs[at]
        measured.append(Window(pairs, strength, as_array(output.received), output.even))
    return Analysis(reading, settings, tuple(measured), {name: pd.DataFrame(entry.facts[name]) for name in KEPT_TABLES})


def keep_analysis(analysis: Analysis, language: str, window: int | None) -> None:
    """Keep the strong pairs of a reading, what they are made of, and the tables that each page asks for first."""
    at = [analysis.reading.passages.index(pairs.passage) for pairs in analysis.windows]
    arrays = {
        f"{kind}{name} {number}": getattr(part, name)
        for number, window in zip(at, analysis.measured, strict=True)
        for kind, part, names in (("", window.pairs, OF_PAIRS), ("", window.strength, OF_STRENGTH))
        for name in names
    }
    disk_cache.keep(
        _key_of(analysis.reading, language, window, "pairs", analysis.settings),
        arrays,
        {"windows": at} | {name: getattr(analysis, name).to_dict("list") for name in KEPT_TABLES},
    )


def find_map(reading: Reading, language: str, window: int | None, unit: Unit, head: Head) -> np.ndarray | None:
    """The attention map of one head in the only window of a reading, (query, key), or None."""
    entry = disk_cache.find(_key_of(reading, language, window, "map", unit, head))
    return entry.arrays["map"] if entry else None


def keep_map(
    reading: Reading, language: str, window: int | None, unit: Unit, head: Head, attention: np.ndarray
) -> None:
    """Keep it."""
    disk_cache.keep(_key_of(reading, language, window, "map", unit, head), {"map": attention}, {})


def read_ahead(spec: ModelSpec, sample: Sample) -> None:
    """Read a sample text and keep it as it opens: its first window, its windows, its strong pairs under the usual settings."""
    from attn_core.models.loading import load

    document = read_document(sample.text, sample.language)
    reading = read(load(spec), document, window=1)
    model = reading.model.loaded()
    windows = windows_of(model, document)
    keep_longest(model)
    keep_passages(model, document, sample.language, reading.layout, windows)
    keep_reading(reading, sample.language, 0)
    keep_analysis(analyze_reading(reading), sample.language, 0)


def _key_of(reading: Reading, language: str, window: int | None, *what: object) -> str:
    model = reading.model
    return _key(model.spec, reading.document.text, language, reading.layout, window, model.revision, *what)


def _key(spec: ModelSpec, *view: object) -> str:
    """spec: with the files that were read, which may have changed since."""
    return disk_cache.key_of(spec, spec.files, *view, _program())


@cache
def _program() -> str:
    """The modules that read texts and choose pairs, and the versions of the libraries below them."""
    return disk_cache.key_of(software(), counting_digest(("analysis.reading_cache",)))


def _of_passages(passages: Sequence[Passage]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    arrays = {name: np.concatenate([getattr(passage, name) for passage in passages]) for name in ARRAYS}
    lengths = [len(passage) for passage in passages]
    tokens = [token for passage in passages for token in passage.tokens]
    return arrays, {"indices": [passage.index for passage in passages], "lengths": lengths, "tokens": tokens}


def _passages(entry: disk_cache.Entry, document: Document) -> tuple[Passage, ...]:
    facts: Mapping[str, Any] = entry.facts
    ends = np.cumsum(facts["lengths"]).tolist()
    parts = [slice(end - length, end) for end, length in zip(ends, facts["lengths"], strict=True)]
    return tuple(
        Passage(
            document=document,
            index=index,
            tokens=tuple(facts["tokens"][part]),
            **{name: entry.arrays[name][part] for name in ARRAYS},
        )
        for index, part in zip(facts["indices"], parts, strict=True)
    )
