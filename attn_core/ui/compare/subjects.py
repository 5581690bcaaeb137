"""The subjects of the Compare page: A is what the sidebar shows, B is chosen on the page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.errors import InputError, ModelNotHere
from attn_core.models.controls import CONTROLS, controlled, copy_of
from attn_core.models.files import BERT, MINILM, ModelSpec, is_here
from attn_core.models.removal import Removal, Replace
from attn_core.study.in_words import MEASURES, layout_in_words, short_name
from attn_core.texts.documents import samples
from attn_core.ui import readings
from attn_core.ui.choice import Choice
from attn_core.ui.shell import sidebar
from attn_core.ui.shell.view import View
from attn_core.ui.widgets.controls import chosen, one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.head_names import MEANING, NAMES, WAYS, parsed_or_warned, without

AS_A = "as A"
A_S_TEXT = "the text of A"


@dataclass(frozen=True, eq=False)
class Compared:
    """A subject by name, and the choice that it comes from."""

    name: str
    results: Analysis
    choice: Choice


def by_name(compared: Sequence[Compared]) -> dict[str, Analysis]:
    """What the subjects have read, by their names."""
    return {one.name: one.results for one in compared}


def choose(view: View) -> tuple[Compared, Compared]:
    """Subject A, which the page shows, and subject B; A's untrained copy for one that cannot be had, and why."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        b = _choose_other(view.choice)
    return Compared(name_of(view.choice, view.choice), view.results, view.choice), _had(view.choice, b)


def name_of(choice: Choice, a: Choice) -> str:
    """What makes a subject: model, control, and what is not the default; its text where that is not A's."""
    measure = next(label for label, measure in MEASURES.items() if measure == choice.settings.measure)
    parts = [
        short_name(replace(choice.spec, ablation=None)),
        *([without(choice.spec.ablation)] if choice.spec.ablation else []),
        *([layout_in_words(choice.layout)] if choice.layout != "plain" else []),
        *([measure] if choice.settings.measure != "dot" else []),
        *(["words"] if choice.unit == "words" else []),
        *([choice.title] if choice.title != a.title else []),
    ]
    return ", ".join(parts)


def provenance(view: View, compared: Sequence[Compared], **choices: object) -> dict[str, object]:
    """Where a table of several subjects comes from: all of them, whole."""
    return view.provenance(subjects={one.name: dict(one.results.provenance) for one in compared}, **choices)


def _had(a: Choice, b: Choice) -> Compared:
    """Subject B with its tables."""
    try:
        b = _within(b, whole=len(readings.passages(a.key)) == 1)
        with st.spinner(f"Reading with {plain(short_name(b.spec))}"):
            results = readings.results(b)
    except InputError as error:
        missing = isinstance(error, ModelNotHere)
        way = " Choose it as the model in the sidebar, where it can be downloaded." if missing else ""
        st.warning(f"{plain(error)}{way}", icon=":material/info:")
        b = a if a.spec.copy is not None else replace(a, spec=copy_of(a.spec))
        results = readings.results(b)
    name = name_of(b, a)
    return Compared(f"{name}, again" if name == name_of(a, a) else name, results, b)


def _within(choice: Choice, whole: bool) -> Choice:
    """All windows beside a text that A reads whole in one; the last where this model has fewer windows than A chose from."""
    if choice.window is None:
        return choice
    windows = len(readings.passages(choice.key))
    if whole and windows > 1:
        return replace(choice, window=None)
    if choice.window < windows:
        return choice
    st.caption(
        f":material/info: {plain(short_name(choice.spec))} reads this text in {windows} windows: its last one stands beside."
    )
    return replace(choice, window=windows - 1)


def _choose_other(a: Choice) -> Choice:
    """Subject B, as A but for what is chosen here."""
    title = one_of(
        "B: text", [A_S_TEXT, *(one.title for one in samples() if one.title != a.title)], "b_text", width=150
    )
    spec, layout, settings = _choose_reading(a)
    b = replace(a, spec=spec, layout=layout, settings=settings)
    text = next((one for one in samples() if one.title == title), None)
    return replace(b, title=text.title, text=text.text, language=text.language) if text else b


def _choose_reading(a: Choice) -> tuple[Any, Any, Any]:
    """Model, layout and settings of B."""
    typed = chosen("b_model") or AS_A
    names = list(dict.fromkeys([AS_A, *(n for n in (MINILM, BERT) if is_here(ModelSpec(n))), typed]))
    name = st.selectbox(
        "B: model", names, accept_new_options=True, key="b_model", bind="query-params", width=130,
        help="A hub id or a local folder with safetensors that lies on this machine.",
        on_change=partial(_reset_control, a),
    )  # fmt: skip
    spec = replace(a.spec, copy=None) if name == AS_A else ModelSpec(name, window_tokens=a.spec.window_tokens)
    control = sidebar.choose_control("b_control", _usual_control(a, name), width=140)
    with st.popover("How", icon=":material/tune:", help="Layout, similarity and heads of B"):
        layouts = [AS_A, *sidebar.LAYOUTS]
        layout: Any = one_of("Layout", layouts, "b_layout")
        measure = one_of("Similarity", [AS_A, *MEASURES], "b_measure")
        off = st.text_input(
            "Without the heads", key="b_off", bind="query-params", placeholder="none: L3H10 L5", help=NAMES, max_chars=1000,
            on_change=partial(_reset_control, a),
        )  # fmt: skip
        way = one_of("Replaced by", WAYS, "b_replace", help=MEANING)
    spec = _without_heads(a, spec, off, way)
    plain_layout = "plain" if a.layout == "shuffled" else a.layout
    try:
        spec, layout = controlled(control, spec, plain_layout if layout == AS_A else layout)
    except InputError as error:
        st.warning(plain(error), icon=":material/info:")
        spec, layout = controlled(control, spec, "plain")
    settings = a.settings if measure == AS_A else replace(a.settings, measure=MEASURES[measure])
    return spec, layout, settings


def _without_heads(a: Choice, spec: ModelSpec, off: str, way: Replace) -> ModelSpec:
    """The model without the heads that are named. One that cannot be had stays as it is: whoever reads with it says why."""
    if not off.strip():
        return spec
    try:
        shape = readings.results(a).shape if spec == a.spec else _shape(spec)
    except InputError:
        return spec
    heads = parsed_or_warned(off, *shape)
    return replace(spec, ablation=Removal(heads, way)) if heads else spec


def _shape(spec: ModelSpec) -> tuple[int, int]:
    model = readings.model(spec)
    return model.layers, model.heads


def _usual_control(a: Choice, model: str) -> str:
    """Beside a model its untrained copy; beside that, another model, or one without some heads, the model as it is."""
    if model != AS_A or a.spec.copy is not None or chosen("b_off").strip():
        return sidebar.NO_CONTROL
    return CONTROLS["untrained"]


def _reset_control(a: Choice) -> None:
    """Another model for B is meant as it is, not as the control that was chosen for the one before."""
    st.session_state["b_control"] = _usual_control(a, st.session_state["b_model"])
