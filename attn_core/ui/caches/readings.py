"""The caches of the dashboard, but for those of sentences (`segments`) and of heads that are taken away (`removals`).

Keys are small: model, text and settings, never an array or a table. What is heavy and read-only is kept once for all
sessions (`cache_resource`). A change of measure, share or special tokens reaches `analysis` only, so that the model
does not run again.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from attn_core.analysis import reading_cache
from attn_core.analysis.attention_maps import attention_of
from attn_core.analysis.one_text import Analysis, analyze_reading
from attn_core.analysis.reading import Reading, read, reading_in
from attn_core.findings.robustness import SoFar
from attn_core.head import Head
from attn_core.measures.roles import expected_role_counts, mean_role_counts
from attn_core.measures.token_coverage import Ranking
from attn_core.measures.uniqueness import uniqueness_table
from attn_core.models.controls import control_of, twin_of
from attn_core.models.files import WINDOW, ModelSpec
from attn_core.models.head_outputs import as_array, reach_of
from attn_core.models.memory import HeldModels, half_of_memory
from attn_core.models.records import LoadedModel
from attn_core.models.source import told_of_source, with_source
from attn_core.similarity.strong_pairs import Measure, Settings, Unit
from attn_core.similarity.words import find_words, in_words
from attn_core.study.opened import Study, open_study
from attn_core.study.reread import read_again, sample_places, spec_of, texts_again
from attn_core.texts.documents import Document, read_document
from attn_core.texts.languages import AUTO
from attn_core.texts.passages import Passage, read_passages
from attn_core.ui.choice import Choice, StudyChoice, TextKey

READ_AGAIN = 8  # windows of a study

if TYPE_CHECKING:
    from attn_core.comparison.causes import Cause, Held
    from attn_core.comparison.match import HeadMatch
    from attn_core.comparison.paired import PairedDifferences
    from attn_core.comparison.subjects import Subject
    from attn_core.interventions.opened import Ablation
    from attn_core.measures.clusters import Clustering, Method
    from attn_core.measures.groups import PairGroups
    from attn_core.patterns.opened import PatternScores
    from attn_core.patterns.pair_scores import Seen
    from attn_core.patterns.placements import Placements
    from attn_core.patterns.rules import Sought, TextWords
    from attn_core.patterns.word_maps import WordOutputs
    from attn_core.similarity.words import Words


@st.cache_resource(show_spinner=False)
def _models() -> HeldModels:
    return HeldModels(_load, half_of_memory())


def _load(spec: ModelSpec) -> LoadedModel:
    from attn_core.models.loading import load  # torch and transformers take seconds to import

    return load(spec)


def model(spec: ModelSpec) -> LoadedModel:
    """A model with its weights: kept by nobody else, so that it can be let go.

    One under an intervention, with other windows, or with a source, shares them.
    """
    held = _models().get(_bare(spec))
    from attn_core.models.windows import in_windows_of

    held = in_windows_of(held, spec.window_tokens)
    if spec.intervention is not None:
        from attn_core.models.intervened import intervened

        held = intervened(held, spec.intervention)
    return with_source(held, spec.source)


def _bare(spec: ModelSpec) -> ModelSpec:
    """The model whose weights all that is put on it shares."""
    return replace(spec, intervention=None, source=None, window_tokens=WINDOW)


@st.cache_resource(max_entries=16, show_spinner=False)
def document(text: str, language: str) -> Document:
    return read_document(text, language)


def passages(key: TextKey) -> tuple[Passage, ...]:
    """All windows of the text, whichever one is read, and whatever the encoder reads."""
    return _passages(replace(key, spec=replace(key.spec, source=None), window=None))


def source_passages(spec: ModelSpec) -> tuple[Passage, ...]:
    """All windows of a model's source, of which its encoder reads the first."""
    assert spec.source is not None, "a source is meant"
    with told_of_source():
        return passages(TextKey(spec, spec.source, AUTO, "plain", None))


def attended(spec: ModelSpec, unit: Unit) -> Passage | None:
    """What the heads of a model attend to, where that is another text than the one whose tokens they put out vectors of."""
    if reach_of(spec) != "other":
        return None
    first, *_ = source_passages(spec)
    return in_words(first)[0] if unit == "words" else first


def is_long(key: TextKey) -> bool:
    """Whether a window that is read, or what its heads attend to, is longer than usual: what it takes grows with its square."""
    windows, source = passages(key), attended(key.spec, "tokens")
    read = windows if key.window is None else windows[key.window : key.number]
    return max(map(len, [*read, source] if source else read)) > WINDOW


@st.cache_data(max_entries=16, show_spinner=False)
def longest_window(spec: ModelSpec) -> int:
    """How many tokens a model reads at once, at most; known from an earlier start without its weights."""
    bare = _bare(spec)
    if (longest := reading_cache.find_longest(bare)) is None:
        reading_cache.keep_longest(loaded := model(bare))
        longest = loaded.longest
    return longest


@st.cache_resource(max_entries=16, show_spinner=False)
def _passages(key: TextKey) -> tuple[Passage, ...]:
    whole = document(key.text, key.language)
    windows = reading_cache.find_passages(key.spec, whole, key.language, key.layout)
    if windows is None:
        loaded = model(key.spec)
        windows = tuple(read_passages(whole, loaded.tokenizer, loaded.max_tokens, key.layout))
        reading_cache.keep_passages(loaded, whole, key.language, key.layout, windows)
    return windows


@st.cache_resource(max_entries=4, show_spinner=False)
def reading(key: TextKey) -> Reading:
    """The head outputs; with the attention maps of a single window, where it is read now and not kept from before."""
    if read_now := _read_before(key):
        return read_now
    bar = st.empty()  # made in here: a cached function may only write to what it made itself

    def progress(done: int, windows: int) -> None:
        if windows > 1:
            bar.progress(done / windows, f"Reading window {done + 1} of {windows}")

    read_now = _read(key, keep_maps=key.window is not None and not is_long(key), progress=progress)
    bar.empty()
    Thread(target=reading_cache.keep_reading, args=(read_now, key.language, key.window)).start()
    return read_now


def _read_before(key: TextKey) -> Reading | None:
    whole = document(key.text, key.language)
    return reading_cache.find_reading(key.spec, whole, key.language, key.layout, key.window, partial(model, key.spec))


def _read(key: TextKey, keep_maps: bool, progress: Callable[[int, int], None] | None = None) -> Reading:
    whole = document(key.text, key.language)
    number = (
        None if key.window is None else key.window + 1
    )  # pages count windows from 0, as the places of their buttons
    read_now = read(model(key.spec), whole, key.layout, number, keep_maps, progress)
    return read_now.without_weights(partial(model, key.spec))


@st.cache_resource(max_entries=2, show_spinner="Reading the text again, for its attention maps")
def reading_with_maps(key: TextKey) -> Reading:
    """A window with its attention maps, whether it was kept or not."""
    kept = reading(key)
    return kept if kept.outputs[0].attention is not None else _read(key, keep_maps=True)


def attention_map(key: TextKey, unit: Unit, head: Head) -> np.ndarray:
    """The attention map of a head in one window, (query, key); of a long window it is made when it is looked at."""
    if is_long(key):
        return _map_of_long(key, unit, head)
    attention = reading_in(unit, reading_with_maps(key)).outputs[0].attention
    assert attention is not None, "this reading has its attention maps"
    return as_array(attention[head])


@st.cache_resource(max_entries=4, show_spinner="Reading the text again, for an attention map")
def _map_of_long(key: TextKey, unit: Unit, head: Head) -> np.ndarray:
    return attention_of(model(key.spec), passages(key)[key.number - 1], [head], unit)[0]


@st.cache_resource(max_entries=4, show_spinner=False)
def reading_in_words(key: TextKey) -> Reading:
    return reading_in("words", reading(key))


@st.cache_resource(max_entries=8, show_spinner=False)
def analysis(key: TextKey, settings: Settings) -> Analysis:
    in_unit = (reading_in_words if settings.unit == "words" else reading)(key)
    if analyzed := reading_cache.find_analysis(in_unit, key.language, key.window, settings):
        return analyzed
    analyzed = analyze_reading(in_unit, settings)
    Thread(target=reading_cache.keep_analysis, args=(analyzed, key.language, key.window)).start()
    return analyzed


@st.cache_data(max_entries=16, show_spinner="Looking for keywords")
def keywords(key: TextKey) -> pd.DataFrame:
    from attn_core.analysis.keywords import keywords as found_in  # nltk takes most of a second to import

    return found_in(reading(key))


@st.cache_resource(max_entries=2, show_spinner="Reading the words of the text")
def word_outputs(key: TextKey) -> tuple["TextWords", "Words", "WordOutputs"]:
    """The words of a window, and what the heads make of every two of them; none attends to another where all do to a source."""
    from attn_core.patterns.rules import TextWords  # nltk and regex are for this page only
    from attn_core.patterns.word_maps import of_words

    with_maps = reading_with_maps(key)
    (passage,), (output,) = with_maps.passages, with_maps.outputs
    words = find_words(passage)
    layers, heads, tokens, _ = output.z.shape
    attention = output.attention if output.attended is None else np.zeros((layers, heads, tokens, tokens), np.float32)
    return TextWords.of(passage, words), words, of_words(output.z, attention, words)


@st.cache_resource(max_entries=16, show_spinner="Looking at the pairs")
def pattern(
    key: TextKey, windows: tuple[int, ...], sought: "Sought", measure: Measure
) -> "tuple[Seen, Placements] | None":
    """The pairs of a pattern in some windows, as every head sees them, and by one measure at other places; None where there
    is no pair."""
    from attn_core.patterns.pair_scores import see
    from attn_core.patterns.placements import placements
    from attn_core.patterns.rules import pairs_of

    parts = []
    for window in windows:
        words, _, outputs = word_outputs(key.at(window))
        parts.append((window, outputs, pairs_of(sought, words)))
    seen = see(parts)
    return None if seen is None else (seen, placements(parts, measure))


@st.cache_resource(max_entries=4, show_spinner=False)
def pattern_scores(chosen: StudyChoice) -> "PatternScores":
    """The scores of annotated texts in a folder."""
    from attn_core.patterns.opened import open_patterns

    return open_patterns(chosen.folder)


@st.cache_resource(max_entries=8, show_spinner=False)
def ablation(chosen: StudyChoice) -> "Ablation":
    """What heads that were removed over many texts did, in a folder."""
    from attn_core.interventions.opened import open_ablation

    return open_ablation(chosen.folder)


@st.cache_resource(max_entries=4, show_spinner=False)
def study(chosen: StudyChoice) -> Study:
    return open_study(chosen.folder)


@st.cache_data(max_entries=16, show_spinner="Looking for the text in its corpus")
def study_text(chosen: StudyChoice, number: int) -> tuple[str, tuple[str, ...]]:
    """The name of a text of a study, counted from 0, and its parts."""
    return texts_again(study(chosen).manifest, {number})[number]


@st.cache_resource(max_entries=2, show_spinner=False)
def readings_of_study(chosen: StudyChoice) -> list[Reading]:
    """A few windows of a study at random, read again by its model."""
    made = study(chosen)
    spec = spec_of(made.manifest)
    readings = read_again(made, model(spec), sample_places(made.examples, READ_AGAIN))
    return [reading.without_weights(partial(model, spec)) for reading in readings]


@st.cache_resource(max_entries=32, show_spinner=False)
def verdicts_so_far(choice: Choice) -> SoFar:  # noqa: ARG001
    """What is known of how firm the verdicts on a choice are; filled in the background."""
    return SoFar()


def results(choice: Choice) -> Analysis | Study:
    """What stands on a page that shows the statistics of heads: those of the text, or of a study in its place."""
    if choice.study is not None:
        return study(choice.study)
    return analysis(choice.key, choice.settings)


@st.cache_data(max_entries=64, show_spinner=False)
def layers(key: TextKey, settings: Settings) -> pd.DataFrame:
    """The layers table alone, for comparing many settings without keeping their strong pairs."""
    return analyze_reading(reading(key), settings).layers


@st.cache_resource(max_entries=16, show_spinner=False)
def clustering(choice: Choice, method: "Method", number: int | None) -> "Clustering":
    from attn_core.measures.clusters import cluster_heads  # scikit-learn takes seconds to import

    return cluster_heads(results(choice).statistics, method, number)


@st.cache_data(max_entries=64, show_spinner=False)
def silhouette_chance(choice: Choice, method: "Method") -> dict[int, float]:
    from attn_core.measures import clusters

    return clusters.silhouette_chance(clustering(choice, method, None).z_scores, method)


@st.cache_resource(max_entries=8, show_spinner="Matching the heads")
def head_match(a: Choice, b: Choice) -> "HeadMatch":
    """Every head of the one with every head of the other, over the words that both read."""
    from attn_core.comparison.match import match_heads

    first, second = _text(a), _text(b)
    return match_heads(first.reading, second.reading, (a.settings.measure, b.settings.measure))


@st.cache_data(max_entries=16, show_spinner=False)
def curves(choices: Sequence[Choice], names: Sequence[str]) -> pd.DataFrame:
    """The statistics of several subjects by depth; names: what each is called."""
    from attn_core.comparison import subjects

    return subjects.curves(_subjects(choices, names))


@st.cache_data(max_entries=16, show_spinner=False)
def findings_table(choices: Sequence[Choice], names: Sequence[str]) -> pd.DataFrame:
    """The findings of several subjects."""
    from attn_core.comparison import subjects

    return subjects.findings_table(_subjects(choices, names))


@st.cache_resource(max_entries=16, show_spinner="Holding the claims against the controls")
def causes(choices: Sequence[Choice], names: Sequence[str]) -> "tuple[list[Cause], list[Held], str, pd.DataFrame]":
    """What is learned, what is language; how the first differs from those that are no controls; how few twins there are; all
    of it as a table.
    """
    from attn_core.comparison import causes

    of = _subjects(choices, names)
    return causes.causes(of), causes.other_differences(of), causes.few_twins(of), causes.causes_table(of)


def _subjects(choices: Sequence[Choice], names: Sequence[str]) -> "list[Subject]":
    from attn_core.comparison.subjects import Subject

    return [Subject(name, results(choice)) for name, choice in zip(names, choices, strict=True)]


@st.cache_resource(max_entries=8, show_spinner="Pairing the texts of both studies")
def paired(a: StudyChoice, b: StudyChoice) -> "PairedDifferences":
    from attn_core.comparison.paired import paired_differences

    return paired_differences(study(a), study(b))


@st.cache_data(max_entries=64, show_spinner="Resampling the strong pairs")
def cluster_stability(choice: Choice, method: "Method", number: int | None) -> np.ndarray:
    """The adjusted Rand index of every resampling."""
    from attn_core.measures import clusters

    return clusters.cluster_stability(clustering(choice, method, number), _resampled_statistics(choice))


@st.cache_resource(max_entries=4, show_spinner=False)
def _resampled_statistics(choice: Choice) -> list[pd.DataFrame]:
    return results(choice).resampled_statistics()


@st.cache_data(max_entries=64, show_spinner=False)
def roles_by_chance(choice: Choice, min_excess: float) -> pd.Series:
    """Mean number of heads of every role where the strong pairs of every head are random pairs."""
    return expected_role_counts(_text(choice).measured, min_excess)


@st.cache_data(max_entries=64, show_spinner="Choosing pairs of heads without structure")
def structureless_roles(choice: Choice, min_excess: float) -> pd.Series:
    """Mean number of heads of every role where the heads have no structure."""
    return mean_role_counts(_text(choice).structureless(), min_excess)


def twin_if_read(choice: Choice) -> Analysis | None:
    """The untrained twin's analysis of the same text, where the twin has read it before: nothing is read for it."""
    if control_of(choice.spec, choice.layout) is not None:
        return None
    twin = replace(choice, spec=twin_of(choice.spec))
    return _text(twin) if _read_before(twin.key) else None


def twin_if_counted(choice: Choice) -> Analysis | None:
    """The same, where its pairs were chosen under these settings too: a page that only names its numbers waits for nothing."""
    if choice.study is not None or control_of(choice.spec, choice.layout) is not None:
        return None
    if not (known := _counted_twins(choice)):
        key, settings = replace(choice.key, spec=twin_of(choice.spec)), choice.settings
        if _read_before(key):
            in_unit = (reading_in_words if settings.unit == "words" else reading)(key)
            known += filter(None, [reading_cache.find_analysis(in_unit, key.language, key.window, settings)])
    return known[0] if known else None


@st.cache_resource(max_entries=4, show_spinner=False)
def _counted_twins(choice: Choice) -> list[Analysis]:  # noqa: ARG001
    """The untrained twin beside a choice, once it is known."""
    return []


@st.cache_resource(max_entries=64, show_spinner="Grouping its strong pairs")
def pair_groups(choice: Choice, head: Head) -> "PairGroups | None":
    """What a head joins; None where it has too few pairs."""
    from attn_core.measures.groups import group_pairs  # scikit-learn takes seconds to import

    shown = _text(choice)
    of_passage = dict(zip(map(id, shown.reading.passages), shown.reading.outputs, strict=True))
    outputs = [as_array(of_passage[id(window.passage)].z)[head] for window in shown.windows]
    return group_pairs(shown.windows, outputs, head)


@st.cache_data(max_entries=64, show_spinner=False)
def uniqueness(choice: Choice, by: Ranking) -> pd.DataFrame:
    return uniqueness_table(_text(choice).windows, by)


def _text(choice: Choice) -> Analysis:
    shown = results(choice)
    assert isinstance(shown, Analysis), "a study keeps no windows"
    return shown
