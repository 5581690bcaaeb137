"""What a notebook displays: of a text and a study what was read, the map of heads and the tables by name."""

from dataclasses import asdict, replace
from functools import partial

from attn_core.analysis.one_text import TABLES, Analysis
from attn_core.analysis.reading import window_numbers
from attn_core.charts.catalogue import TEXT, Tables
from attn_core.charts.sources import sentence_of
from attn_core.columns.dictionary import tables
from attn_core.measures.sources import Explanation
from attn_core.models.records import LoadedModel
from attn_core.report.document import Section, Table, fragment
from attn_core.report.of_tables import figures_of, parts_of
from attn_core.study.descriptions import describe_origin, describe_settings, describe_study
from attn_core.study.opened import Study
from attn_core.texts.token_names import quoted

MAP, LONG = "roles", 200  # the figure; characters of a text


def as_html(shown: Analysis | Study | LoadedModel | Explanation) -> str:
    """An analysis, a study, a loaded model or an explanation in HTML."""
    if isinstance(shown, LoadedModel):
        kind = "causal" if shown.causal else "every token attends to all"
        size = f"{shown.layers} layers x {shown.heads} heads, {kind}; windows of at most {shown.max_tokens:,} tokens"
        about = (size, f"revision {shown.revision}, on {shown.device}", f"When loaded: {shown.check}")
        return fragment(Section(str(shown.spec), about))
    if isinstance(shown, Explanation):
        return fragment(_of_pair(shown))
    return fragment(_of_study(shown) if isinstance(shown, Study) else _of_text(shown))


def _of_text(analysis: Analysis) -> Section:
    reading, text = analysis.reading, analysis.reading.document.text
    tokens = f"{sum(map(len, reading.passages)):,} {reading.unit} in window {window_numbers(reading.passages)}"
    about = [f"{len(reading.document.sentences):,} sentences", tokens, f"{reading.layout} layout"]
    settings = describe_settings(asdict(analysis.settings) | {"unit": reading.unit})
    of = Tables(TEXT, TABLES, partial(getattr, analysis), analysis.unit)
    quoted = text[:LONG] + "…" * (len(text) > LONG)
    return _section(f"Analysis by {reading.model.spec}", (quoted, "; ".join(about + settings)), of)


def _of_study(study: Study) -> Section:
    stored = [name.removesuffix(".parquet") for name in study.stored if name.endswith(".parquet")]
    about = describe_study(study)[1:] if study.subjects else describe_origin(study)
    first = next(parts_of(study, stored))
    return _section(f"Study {study.folder.name}", ("; ".join(about),), replace(first, names=stored))


def _of_pair(why: Explanation) -> Section:
    names = why.tokens.set_index("position")["token"]
    first, second = (f"{quoted(names[at])} ({at})" for at in (why.first, why.second))
    return Section(f"{why.head}: why two tokens are alike", (sentence_of(why, first, second, names.tolist()),))


def _section(title: str, about: tuple[str, ...], of: Tables) -> Section:
    """A section with the map of heads, and what a row of each table is."""
    rows = [(one.name, one.row) for one in tables() if one.name in of.names and {"text", "study"} & {*one.sources}]
    figures = (replace(one, title=f"{one.title}: {of.subject}".rstrip(": ")) for one in figures_of(of, MAP))
    return Section(title, about, tuple(figures), (Table("", ("table", "a row"), tuple(rows), words=None),))
