"""Compare: a model and one thing that differs: a baseline, another model or text, or heads that are removed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.analysis.one_text import Analysis
from attn_core.comparison.differences import (
    Comparison,
    curves,
    describe_difference,
    head_differences,
    layer_differences,
)
from attn_core.comparison.match import HeadMatch
from attn_core.errors import InputError, ModelNotHere
from attn_core.head import every_head
from attn_core.measures.few_pairs import too_few
from attn_core.measures.statistics import BY_LABEL, Statistic
from attn_core.models.baselines import CONTROLS, apply_control, control_of
from attn_core.models.files import BERT, MINILM, ModelSpec, is_available_offline
from attn_core.models.removal import Removal
from attn_core.report.of_tables import of_comparison
from attn_core.study.descriptions import short_name
from attn_core.texts.documents import samples
from attn_core.ui import derived, readings
from attn_core.ui.readings import Choice
from attn_core.ui.removals import WAYS, parsed_or_warned, without
from attn_core.ui.shell import page
from attn_core.ui.shell.page import View
from attn_core.ui.widgets import show
from attn_core.ui.widgets.controls import chosen, explanation, one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.show import report_button

ITSELF, MODEL, TEXT, HEADS = "the model itself", "another model", "another text", "heads removed"
WHICH = "first", "second"  # of two subjects, in tables


@dataclass(frozen=True, eq=False)
class Compared:
    """A subject with its analysis.

    name: in its tables. label: on the page. phrase: with a preposition, such as "in the untrained copy".
    """

    name: str
    label: str
    phrase: str
    results: Analysis
    choice: Choice


def choose(view: View, row: DeltaGenerator) -> tuple[Compared, Compared]:
    """What the sidebar chooses, and what it is compared with; a baseline, with a warning, if that cannot be read.

    row: a place for the widgets.
    """
    a = view.choice
    control = control_of(a.spec, a.layout)
    baselines = [ITSELF] if control else list(CONTROLS.values())
    with row:
        way = one_of("Compare with", [*baselines, MODEL, TEXT, HEADS], "compare_with", width=200)
    try:
        with row:
            name, b = _changed(view, way)
        b, results = _had(a, b)
    except InputError as error:
        missing = isinstance(error, ModelNotHere)
        advice = " Choose it as the model in the sidebar, where it can be downloaded." if missing else ""
        st.warning(f"{plain(error)}{advice}", icon=":material/info:")
        name, b = baselines[0], _baseline(a, baselines[0])
        b, results = _had(a, b)
    own, this = (short_name(a.spec), f"this {CONTROLS[control] if control else 'model'}")
    if b.title != a.title:
        own, this = a.title, "this text"
    name = f"{name}, again" if name == own else name
    phrase = name if b.spec.ablation else f"in the {name}" if name in CONTROLS.values() else f"in {name}"
    return Compared(own, this, f"in {this}", view.results, a), Compared(name, name, phrase, results, b)


def _changed(view: View, way: str) -> tuple[str, Choice]:
    """The choice of the sidebar with one thing changed, and its name. Raises InputError if there is no such choice."""
    a = view.choice
    if way == MODEL:
        spec = _choose_model(a.spec)
        return short_name(spec), replace(a, spec=spec)
    if way == TEXT:
        texts = {one.title: one for one in samples() if one.title != a.title}
        text = texts[one_of("Text", list(texts), "b_text", width=260)]
        return text.title, replace(a, title=text.title, text=text.text, language=text.language)
    if way == HEADS:
        removal = _choose_heads(view)
        return without(removal), replace(a, spec=replace(a.spec, ablation=removal))
    return way, _baseline(a, way)


def _baseline(a: Choice, way: str) -> Choice:
    """A choice under the control of this name; for `ITSELF` without its control."""
    if way == ITSELF:
        return replace(a, spec=replace(a.spec, copy=None), layout="plain" if a.layout == "shuffled" else a.layout)
    control = next(control for control, name in CONTROLS.items() if name == way)
    spec, layout = apply_control(control, a.spec, a.layout)
    return replace(a, spec=spec, layout=layout)


def _choose_model(spec: ModelSpec) -> ModelSpec:
    typed, here = chosen("b_model"), [name for name in (MINILM, BERT) if is_available_offline(ModelSpec(name))]
    name = st.selectbox(
        "Model", list(dict.fromkeys([*(one for one in here if one != spec.name), *filter(None, [typed])])),
        key="b_model",
        accept_new_options=True, bind="query-params", width=260, placeholder="a hub id or a folder",
        help="A hub id or a local folder with safetensors that lies on this machine.",
    )  # fmt: skip
    if not name:
        raise InputError("Type the hub id or the folder of another model.")
    return ModelSpec(name, window_tokens=spec.window_tokens)


def _choose_heads(view: View) -> Removal:
    """The removed heads that widgets choose; head A if none is named."""
    typed = st.text_input(
        "Heads",
        key="b_off",
        bind="query-params",
        placeholder=str(view.head_a),
        help=explanation("off"),
        max_chars=1000,
        width=200,
    )
    way = one_of("Replaced by", WAYS, "b_replace", width=130, help=explanation("replace"))
    return Removal(parsed_or_warned(typed, *view.results.shape) or (view.head_a,), way)


def _had(a: Choice, b: Choice) -> tuple[Choice, Analysis]:
    """Choice b and its analysis. It pools all windows if a has another number of windows."""
    with st.spinner(f"Reading with {plain(short_name(b.spec))}"):
        if len(readings.passages(a.key)) != len(readings.passages(b.key)):
            b = replace(b, window=None)
        return b, readings.results(b)


def show_layers(view: View, compared: Sequence[Compared], statistic: Statistic) -> None:
    """Draw a sentence that says what differs, and the statistic of both subjects by layer."""
    b = compared[1].choice
    describe = partial(describe_difference, {one.phrase: one.results for one in compared}, statistic)
    st.markdown(f"**{plain(readings.kept(view.results, (describe_difference, b, statistic), describe))}**")
    tables = {"curves": partial(curves, {one.label: one.results for one in compared})}
    view.show("curves", statistic.name, tables=tables, inputs=b)


def show_maps(view: View, compared: Sequence[Compared], statistic: Statistic) -> None:
    """Draw maps of the heads of both minus chance, and of their difference if the shapes agree."""
    a, b = (one.results for one in compared)
    inputs = compared[1].choice
    for which, one in show.in_columns(zip(WHICH, compared, strict=True)):
        st.markdown(f"**{plain(one.label)}**, minus chance")
        tables = {"beyond_chance": partial(beyond_chance, compared, statistic)}
        words = {"subject": one.label}
        view.show("beyond-chance", statistic.name, tables=tables, inputs=inputs, words=words, which=which)
    if a.shape != b.shape:
        st.caption("The models differ in layers or heads, so that no head of one has a place in the other.")
        return
    for difference in show.in_columns([" − ".join(one.label for one in compared)]):
        st.markdown(f"**{plain(difference)}**, head by head")
        tables = {"differences": partial(differences, a, b, statistic)}
        words = {"difference": difference}
        view.show("differences", statistic.name, tables=tables, inputs=inputs, words=words)


def beyond_chance(compared: Sequence[Compared], statistic: Statistic) -> pd.DataFrame:
    """One row per head of both: which, layer, head, minus_chance, few (whether there are too few pairs)."""
    few = statistic.of_pairs and any(too_few(one.results.statistics) for one in compared)
    parts = []
    for which, one in zip(WHICH, compared, strict=True):
        heads = one.results.statistics
        excess = heads[statistic.name] - heads[statistic.chance]
        parts.append(heads[["layer", "head"]].assign(which=which, minus_chance=excess, few=few))
    return pd.concat(parts, ignore_index=True)


def differences(a: Analysis, b: Analysis, statistic: Statistic) -> pd.DataFrame:
    """The table of `head_differences`, and whether there are too few pairs."""
    few = statistic.of_pairs and any(too_few(one.statistics) for one in (a, b))
    return head_differences(a, b, statistic).assign(few=few)


def show_numbers(comparison: Comparison, compared: Sequence[Compared], statistic: Statistic) -> None:
    """Draw the statistic of both by layer, and what differs."""
    every = layer_differences(*comparison.subjects.values())
    table = every[every["statistic"] == statistic.name].dropna(axis=1, how="all").drop(columns="statistic")
    a, b = compared
    if a.results.shape[0] == b.results.shape[0]:
        table.insert(0, "layer", a.results.layers["layer"].to_numpy())
        table = table.drop(columns="depth")
    number = st.column_config.NumberColumn
    column = show.share_column if statistic.unit == "share" else partial(number, format=f"%{statistic.format}")
    columns = {"depth": number("depth", format="%.2f"), "difference": column("difference")}
    for which, one in zip(WHICH, compared, strict=True):
        columns |= {which: column(one.label), f"chance_{which}": column(f"{one.label}: chance")}
        columns[f"{which}_over_chance"] = number(f"{one.label}: over chance", format="%.2f")
    show.table(table, "differences", columns, choices=comparison.provenance)


def show_best_match(view: View, compared: Sequence[Compared], match: HeadMatch) -> None:
    """Draw which head of the other is most like head A, with chance."""
    b = compared[1]
    row = every_head(*match.shapes[0]).index(view.head_a)
    best = every_head(*match.shapes[1])[match.best[row]]
    found = f"is most like {best} {plain(b.phrase)}"
    none = f"is not more like a head {plain(b.phrase)} than by chance"
    st.header(f"{view.head_a} {found if match.sure[row] else none}", anchor=False)
    show.beside_chance(
        f"Rank correlation of {view.head_a} and {best}", f"{match.value[row]:z.2f}",
        f"chance: up to {match.threshold:.2f}",
        "Of the similarities of the same pairs of words. Chance: the words of the other permuted; in 95 of 100 "
        "permutations no two heads are more alike than this.",
    )  # fmt: skip


def show_matches(view: View, other: Choice, comparison: Comparison, match: HeadMatch) -> None:
    """Draw the head of the other most like each head, on a map and as a table. other: its choice."""
    with show.facts():
        show.beside_chance(
            "Best match of a head, mean", f"{match.value.mean():z.2f}", f"chance: {match.chance:z.2f}",
            f"Rank correlation over the same {match.words} words. Chance: the words of the other permuted.",
        )  # fmt: skip
        show.beside_chance(
            "Heads with a match above chance", f"{match.sure.sum()} of {len(match.sure)}",
            "expected by chance: 0 (in 95 of 100 permutations)",
            f"Above {match.threshold:.2f}, which at most 5% of {len(match.by_chance)} permutations reach.",
        )  # fmt: skip
    st.caption("Each cell names the head of the other that is most like this head. Click a head to select it.")
    view.show("best-matches", tables={"best_matches": match.table}, inputs=other)
    columns = ("layer", "head", "best_layer", "best_head", "correlation", "above_chance", "mutual")
    choices = {**comparison.provenance, "words": match.words, "permutations": len(match.by_chance)}
    show.table(match.table(), "best-matches", column_order=columns, choices=choices)


view = page.begin()

row = st.container(horizontal=True, vertical_alignment="bottom")
with row:
    statistic = BY_LABEL[one_of("Statistic", list(BY_LABEL), "compared", width=320)]
compared = choose(view, row)
comparison = derived.comparison(*((one.name, one.choice) for one in compared))
show_layers(view, compared, statistic)
with st.spinner("Matching the heads"):
    match = comparison.match
if isinstance(match, str):
    st.caption(f":material/info: {plain(match)}")
else:
    show_best_match(view, compared, match)
    show.folded(
        "Every head's best match", "best-matches", partial(show_matches, view, compared[1].choice, comparison, match)
    )
show.folded("Head by head", "maps", partial(show_maps, view, compared, statistic))
show.folded("Numbers by layer", "curves", partial(show_numbers, comparison, compared, statistic))
report_button("comparison", lambda: of_comparison(comparison.tables(), comparison.provenance), "comparison")

show.help("Compare")
