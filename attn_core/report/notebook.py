"""What a notebook displays of a text, a study and a model: what was read, the map of heads, and the tables by name."""

from collections.abc import Container
from dataclasses import asdict
from functools import partial, singledispatch

from attn_core.analysis.one_text import TABLES, Analysis
from attn_core.analysis.reading import window_numbers
from attn_core.charts.catalogue import TEXT, Tables
from attn_core.columns.dictionary import Source, tables
from attn_core.displayed import Displayed
from attn_core.models.records import LoadedModel
from attn_core.report.document import Section, Table, fragment
from attn_core.report.of_tables import figures_of, parts_of
from attn_core.study.descriptions import describe_origin, describe_settings, describe_study
from attn_core.study.opened import Study

MAP, LONG = "roles", 200  # the figure; characters of a text


def as_html(shown: Displayed) -> str:
    """An analysis, a study or a loaded model in HTML."""
    return fragment(_section(shown))


@singledispatch
def _section(shown: Displayed) -> Section:
    raise NotImplementedError(type(shown))


@_section.register
def _of_text(analysis: Analysis) -> Section:
    reading, text = analysis.reading, analysis.reading.document.text
    tokens = f"{sum(map(len, reading.passages)):,} {reading.unit} in window {window_numbers(reading.passages)}"
    about = [f"{len(reading.document.sentences):,} sentences", tokens, f"{reading.layout} layout"]
    settings = describe_settings(asdict(analysis.settings) | {"unit": reading.unit})
    of = Tables(TEXT, ("heads",), partial(getattr, analysis), analysis.unit)
    read = (text[:LONG] + "…" * (len(text) > LONG), "; ".join(about + settings))
    return Section(f"Analysis by {reading.model.spec}", read, figures_of(of, MAP), (_listed("text", TABLES),))


@_section.register
def _of_study(study: Study) -> Section:
    stored = [name.removesuffix(".parquet") for name in study.stored if name.endswith(".parquet")]
    first = next(parts_of(study, stored))
    read = ["; ".join(describe_study(study)[1:] if study.subjects else describe_origin(study))]
    if (figures := figures_of(first, MAP)) and first.subject:
        read.append(f"The map is that of {first.subject}.")
    return Section(f"Study {study.folder.name}", tuple(read), figures, (_listed("study", stored),))


@_section.register
def _of_model(model: LoadedModel) -> Section:
    kind = "causal" if model.causal else "every token attends to all"
    size = f"{model.layers} layers x {model.heads} heads, {kind}; windows of at most {model.max_tokens:,} tokens"
    return Section(
        str(model.spec), (size, f"revision {model.revision}, on {model.device}", f"When loaded: {model.check}")
    )


def _listed(source: Source, names: Container[str]) -> Table:
    """The exported tables of those names, and what a row of each is."""
    rows = [
        (one.name, one.row.partition(". ")[0].rstrip("."))
        for one in tables()
        if source in one.sources and one.name in names
    ]
    return Table("Tables", ("table", "a row"), tuple(rows), words=None)
