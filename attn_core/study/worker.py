"""The task of a worker, in any process of any machine: it counts a shard of texts and returns its tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import pandas as pd
import pyarrow as pa

from attn_core.analysis.explanations import window_sources
from attn_core.analysis.measured_windows import measure_window, passages_that_count
from attn_core.analysis.references import read_references
from attn_core.analysis.role_counts import RolesBySetting, add_window, has_roles
from attn_core.errors import ModelError, TextError
from attn_core.measures.few_pairs import MIN_PAIRS
from attn_core.measures.sources import SourceCounts
from attn_core.measures.window_counts import TokenAndDistanceCounts, WindowCounts, added, count_window
from attn_core.models.capture import batches, capture
from attn_core.models.head_outputs import HeadOutputs
from attn_core.models.language_head import CHANCE, ENTROPIES, LanguageHead, entropies, language_head
from attn_core.models.records import LoadedModel
from attn_core.patterns.relations import RelationCounts, count_relations, relation_tables
from attn_core.runs.job import Piece, ShardResult, checked_model
from attn_core.similarity.words import UNITS, find_words, passage_of_words, readable, to_words
from attn_core.study.examples import Where, candidates, merged, with_text
from attn_core.study.settings import Job, Variant
from attn_core.study.shard_tables import distance_table, table, table_of, token_table, window_row
from attn_core.study.text_roles import role_row
from attn_core.study.text_sources import source_rows
from attn_core.study.variant_counts import Counts, count_variants, rows_of_text
from attn_core.texts.documents import Document, read_document
from attn_core.texts.languages import checked_language
from attn_core.texts.passages import Passage, read_passages

TEXT_COLUMNS = (
    "text", "part", "group", "name", "language", "problem", "few", "windows", "short_windows", "tokens", "strong",
    "encoding",
)  # fmt: skip


def count_shard(job: Job) -> ShardResult:
    """The counts of a shard; the same job returns the same bytes in every process.

    Raises InputError if the program or the model of this worker is not that of the study.
    """
    model = checked_model(job.model)
    texts = [_read_text(piece, model, job) for piece in job.shard.pieces]
    _count_texts(model, texts, job)
    return ShardResult(
        _tables(texts, job),
        sum(text.problem is None and text.piece.part == 0 for text in texts),
        sum(len(text.usable) for text in texts),
        sum(text.problem is not None for text in texts),
    )


def _tables(texts: Sequence["_TextCounts"], job: Job) -> dict[str, pa.Table]:
    """The tables of a shard by name; only the texts table if no text could be counted."""
    rows = {
        "variants": [row for text in texts for row in rows_of_text(text.piece.number, text.piece.group, text.variants)],
        "entropies": [_place(text.piece) | row for text in texts for row in text.entropies],
        "roles": [_place(text.piece) | role_row(text.roles) for text in texts if text.roles],
    }
    tables = {"texts": table([_text_row(text) for text in texts], TEXT_COLUMNS)}
    tables |= {name: table(some, list(some[0])) for name, some in rows.items() if some}
    if frames := [source_rows(text.sources).assign(**_place(text.piece)) for text in texts if text.sources]:
        tables["sources"] = pa.Table.from_pandas(pd.concat(frames), preserve_index=False)
    for few in (False, True) if job.in_full else ():
        counted = [text for text in texts if text.counts and text.few is few]
        if counted:
            *covered, distances = added([text.parts for text in counted])
            windows = [
                _place(text.piece) | window_row(one.counts, one.passage) for text in counted for one in text.counts
            ]
            made = {
                "windows": table(windows, list(windows[0])),
                "tokens": token_table(*covered),
                "distances": distance_table(distances),
            }
            tables |= {table_of(name, few): one for name, one in made.items()}
    if job.with_examples and (examples := _examples(texts)) is not None:
        tables["examples"] = examples
    return tables | relation_tables([(text.piece, text.relations) for text in texts if text.has_relations])


def _text_row(text: "_TextCounts") -> dict[str, object]:
    row = _place(text.piece) | {"name": text.piece.name, "problem": text.problem, "encoding": text.piece.encoding}
    if text.passages:
        row["language"] = text.passages[0].document.language
    if text.usable:
        row |= {"windows": len(text.usable), "short_windows": text.short, "tokens": sum(map(len, text.usable))}
    if text.counts:
        row |= {"few": text.few, "strong": text.parts.touching.strong}
    return row


def _place(piece: Piece) -> dict[str, object]:
    return {"text": piece.number, "part": piece.part, "group": piece.group}


def _examples(texts: Sequence["_TextCounts"]) -> pa.Table | None:
    """The example pairs of a shard, with their text; None if no window was counted."""
    passage_at: dict[Where, Passage] = {
        (text.piece.number, text.piece.part, one.passage.index): one.passage for text in texts for one in text.counts
    }
    if not passage_at:
        return None
    names = {text.piece.number: text.piece.name for text in texts}
    examples = with_text(merged([one.examples for text in texts for one in text.counts]), passage_at, names)
    return pa.Table.from_pandas(examples, preserve_index=False)


def _read_text(piece: Piece, model: LoadedModel, job: Job) -> "_TextCounts":
    """A text with its windows, those of them that count, and, if there is none, the reason."""
    try:
        passages = _windows(piece, model, job)
    except TextError as error:
        return _TextCounts(piece, (), (), str(error), has_relations=False)
    counted: Sequence[Passage] = passages
    if job.settings.unit == "words":
        counted = [passage_of_words(passage, find_words(passage)) for passage in passages]
    kept = {one.index for one in passages_that_count(counted, job.settings.analysis)}
    usable = tuple(passage for passage in passages if passage.index in kept)
    problem = None if usable else "too short: no window has two tokens that may pair"
    return _TextCounts(piece, passages, usable, problem, bool(usable) and job.has_relations(piece))


def _windows(piece: Piece, model: LoadedModel, job: Job) -> tuple[Passage, ...]:
    """The windows of a text, with the sentences of its annotation, if any. Raises TextError if there is no window."""
    settings, annotated = job.settings, piece.annotated
    if piece.text is None or not piece.text.strip():
        raise TextError(piece.problem or "empty")
    if annotated is None:
        document = read_document(piece.text, settings.language)
    else:
        language = checked_language(settings.language, annotated.text)
        document = Document(annotated.text, annotated.sentences, language=language)
    passages = read_passages(document, model.tokenizer, model.max_tokens, job.layout, job.seed)[: settings.windows]
    tokens = sum(map(len, passages))
    if tokens < settings.min_tokens and not annotated:
        raise TextError(f"too short: {tokens} tokens, and a text of a study needs {settings.min_tokens}")
    return tuple(passages)


@dataclass(frozen=True, eq=False)
class _WindowCounts:
    """A window in the unit of the study, its counts, and its example pairs."""

    passage: Passage
    counts: WindowCounts
    examples: pd.DataFrame


@dataclass(eq=False)
class _TextCounts:
    """A text or a part of one, its windows, those that count (usable), its problem, and its counts.

    counts, entropies: of each usable window. roles, sources: the counts of stable roles and of sources, if asked for.
    variants: the effects of each window under every setting. relations: of each window, if they are counted.
    """

    piece: Piece
    passages: tuple[Passage, ...]
    usable: tuple[Passage, ...]
    problem: str | None
    has_relations: bool
    counts: list[_WindowCounts] = field(default_factory=list)
    roles: RolesBySetting = field(default_factory=dict)
    sources: list[SourceCounts] = field(default_factory=list)
    entropies: list[dict[str, object]] = field(default_factory=list)
    variants: list[Mapping[Variant, Counts]] = field(default_factory=list)
    relations: list[dict[str, RelationCounts]] = field(default_factory=list)

    @property
    def short(self) -> int:
        """The number of windows that do not count."""
        return len(self.passages) - len(self.usable)

    @cached_property
    def parts(self) -> TokenAndDistanceCounts:
        """The strong pairs by token and by distance, summed over all windows."""
        return added([one.counts.parts for one in self.counts])

    @property
    def few(self) -> bool:
        """Whether no window has `MIN_PAIRS` strong pairs per head."""
        return self.counts[0].counts.parts.touching.strong < MIN_PAIRS


def _count_texts(model: LoadedModel, texts: Sequence[_TextCounts], job: Job) -> None:
    """Count the windows of the texts, each from one forward pass."""
    every, rules = job.settings.every_setting, job.settings.rules
    windows = [
        (text, passage) for text in texts for passage in (text.passages if every or text.has_relations else text.usable)
    ]
    counted: dict[int, _WindowCounts] = {}
    variants: dict[int, Mapping[Variant, Counts]] = {}
    relations: dict[int, dict[str, RelationCounts]] = {}
    for batch in batches([len(passage) for _, passage in windows], job.settings.batch_tokens):
        passages = [windows[index][1] for index in batch]
        outputs = capture(model, passages, keep_maps=any(text.has_relations for text in texts))
        for index, output in zip(batch, outputs, strict=True):
            text, passage = windows[index]
            if text.has_relations:
                relations[index] = count_relations(passage, output, text.piece.annotated, rules)
            output = replace(output, attention=None)
            if job.in_full and passage in text.usable:
                counted[index] = _count(model, text, passage, output, job)
            if every:
                references = {unit: read_references(model, passage.document, job.layout, unit) for unit in UNITS}
                variants[index] = count_variants(passage, output, references, model.removed)
    for index, (text, _) in enumerate(windows):
        text.counts += [counted[index]] if index in counted else []
        text.variants += [variants[index]] if index in variants else []
        text.relations += [relations[index]] if index in relations else []
    if job.in_full and job.settings.entropy:
        for text in texts:
            text.entropies += _entropy_rows(model, text.usable)


def _count(model: LoadedModel, text: _TextCounts, passage: Passage, output: HeadOutputs, job: Job) -> _WindowCounts:
    """The counts and example pairs of a window; its roles and sources, if asked for, are added to the text."""
    settings, document = job.settings, passage.document
    where = text.piece.number, text.piece.part, passage.index
    units = readable(passage, settings.unit) if settings.sources else None
    if settings.unit == "words":
        passage, output = to_words(passage, output)
    references = read_references(model, document, job.layout, settings.unit)
    if settings.stable_roles and has_roles(passage, settings.analysis.with_special):
        add_window(text.roles, passage, output, settings.analysis.with_special)
    (window,) = measure_window(passage, output, [settings.analysis], references)
    if units is not None and window.pairs.shape[2] >= MIN_PAIRS:
        text.sources.append(window_sources(model, units, window, settings.analysis))
    counts = count_window(window)
    return _WindowCounts(window.pairs.passage, counts, candidates(window.pairs, counts.parts.touching, where))


@lru_cache(maxsize=1)
def _head_if_any(model: LoadedModel) -> LanguageHead | None:
    """The language-model head of a model, found once per process; None where there is none."""
    try:
        return language_head(model)
    except ModelError:
        return None


def _entropy_rows(model: LoadedModel, passages: Sequence[Passage]) -> Iterator[dict[str, object]]:
    """A row per window: window, places, entropy and cross_entropy (layer,), chance_entropy.

    There is no row for a window without a place to predict, or for a model without a language-model head.
    """
    if (head := _head_if_any(model)) is None:
        return
    for passage in passages:
        try:
            by_layer = entropies(model, head, passage)
        except (TextError, ModelError):  # nothing to predict, or numbers that are not finite
            continue
        of_layers = {kind: by_layer[kind].to_numpy() for kind in ENTROPIES}
        yield {"window": passage.index, **{name: by_layer[name].iloc[0] for name in ("places", CHANCE)}, **of_layers}
