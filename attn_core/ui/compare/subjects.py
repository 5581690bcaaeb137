"""The subjects of the Compare page: A is what the sidebar shows, B and the others are chosen on the page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from attn_core.comparison.subjects import MOST, Subject
from attn_core.errors import InputError, ModelNotHere
from attn_core.models.controls import SEEDS, control_of, controlled, twin_of
from attn_core.models.files import BERT, MINILM, TWINS, ModelSpec, is_here
from attn_core.models.removal import Removal, Replace
from attn_core.study.in_words import MEASURES, layout_in_words, short_name
from attn_core.texts.documents import samples
from attn_core.ui import readings
from attn_core.ui.choice import Choice
from attn_core.ui.shell import sidebar
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets.address import chosen, chosen_among
from attn_core.ui.widgets.controls import one_of
from attn_core.ui.widgets.downloads import CONTROLS
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.head_names import MEANING, NAMES, WAYS, parsed_or_warned, without

AS_A = "as A"
A_S_TEXT = "the text of A"


@dataclass(frozen=True, eq=False)
class Compared(Subject):
    """A subject with the choice that it comes from."""

    choice: Choice


def choose(view: TextView) -> list[Compared]:
    """Subject A, subject B, and those that the user adds; a subject that cannot be had is left out, and said why."""
    a = view.choice
    with st.container(horizontal=True, vertical_alignment="bottom"):
        b, controls = _choose_other(a)
        ready = _ready_made(a)
        options = [label for label, choice in ready.items() if choice not in (a, b, *controls)]
        chosen_among("more", options)
        with st.popover("More", icon=":material/add:", help="More subjects, for the claims and the curves"):
            more = st.multiselect(
                "More subjects",
                options,
                key="more",
                bind="query-params",
                max_selections=MOST - 2 - len(CONTROLS),
                placeholder="copy, measure, model",
            )
    return _had(view, b, [one for one in (*controls, *(ready[label] for label in more)) if one not in (a, b)])


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


def provenance(view: TextView, compared: Sequence[Compared], **choices: object) -> dict[str, object]:
    """Where a table of several subjects comes from: all of them, whole."""
    return view.provenance(subjects={one.name: dict(one.results.provenance) for one in compared}, **choices)


def _had(view: TextView, b: Choice, more: list[Choice]) -> list[Compared]:
    """Every subject with its tables, one model after the other."""
    had = [Compared(name_of(view.choice, view.choice), view.results, view.choice)]
    whole = len(readings.passages(view.choice.key)) == 1

    def add(choice: Choice) -> None:
        name = name_of(choice, view.choice)
        again = ", again" if name in [one.name for one in had] else ""
        had.append(Compared(f"{name}{again}", readings.results(choice), choice))

    for choice in (b, *more):
        try:
            choice = _within(choice, whole)
            with st.spinner(f"Reading with {plain(short_name(choice.spec))}"):
                add(choice)
        except InputError as error:
            missing = isinstance(error, ModelNotHere)
            way = " Choose it as the model in the sidebar, where it can be downloaded." if missing else ""
            st.warning(f"{plain(error)}{way}", icon=":material/info:")
    if len(had) == 1:  # B could not be had: A's untrained copy always can
        copy = replace(view.choice, spec=twin_of(view.choice.spec))
        add(copy if view.choice.spec.twin is None else view.choice)
    return had


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


def _choose_other(a: Choice) -> tuple[Choice, list[Choice]]:
    """Subject B, as A but for what is chosen here, and more controls of A."""
    texts = [A_S_TEXT, *(s.title for s in samples() if s.title != a.title)]
    source = one_of("B: text", texts, "b_numbers", width=150)
    spec, layout, settings = _choose_reading(a)
    text = next((s for s in samples() if s.title == source), None)
    b = replace(a, spec=spec, layout=layout, settings=settings)
    b = replace(b, title=text.title, text=text.text, language=text.language) if text else b
    return b, _choose_more_controls(a)


def _choose_more_controls(a: Choice) -> list[Choice]:
    """The other controls of A, so that what is learned and what is language are told at once; none beside a control."""
    if control_of(a.spec, a.layout) is not None:
        return []
    heads_off = bool(chosen("b_off").strip())  # then the question is what they do, and not what is language
    chosen_among("controls", list(CONTROLS))
    labels = st.multiselect(
        "More controls",
        list(CONTROLS),
        default=[] if heads_off else [label for label, control in CONTROLS.items() if control != "untrained"],
        key="controls",
        bind="query-params",
        width=290,
        help="What is learned takes both twins, what is language the shuffled text.",
    )
    kinds = [CONTROLS[label] for label in labels]
    of_controls = [controlled(kind, a.spec, "plain" if kind == "shuffled" else a.layout) for kind in kinds]
    return [replace(a, spec=spec, layout=layout) for spec, layout in of_controls]


def _choose_reading(a: Choice) -> tuple[Any, Any, Any]:
    """Model, layout and settings of B."""
    typed = chosen("b_model") or AS_A
    names = list(dict.fromkeys([AS_A, *(n for n in (MINILM, BERT) if is_here(ModelSpec(n))), typed]))
    name = st.selectbox(
        "B: model", names, accept_new_options=True, key="b_model", bind="query-params", width=130,
        help="A hub id or a local folder with safetensors that lies on this machine.",
        on_change=partial(_reset_control, a),
    )  # fmt: skip
    spec = replace(a.spec, twin=None) if name == AS_A else ModelSpec(name, window_tokens=a.spec.window_tokens)
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
    """Beside a model its untrained twin; beside that, another model, or one without some heads, the model as it is."""
    if model != AS_A or a.spec.twin is not None or chosen("b_off").strip():
        return sidebar.NO_CONTROL
    return next(label for label, control in CONTROLS.items() if control == "untrained")


def _reset_control(a: Choice) -> None:
    """Another model for B is meant as it is, not as the control that was chosen for the one before."""
    st.session_state["b_control"] = _usual_control(a, st.session_state["b_model"])


def _ready_made(a: Choice) -> dict[str, Choice]:
    """What can be added with one click, by name."""
    bare = replace(a, spec=replace(a.spec, twin=None), layout="plain")
    models = [
        ModelSpec(name, window_tokens=a.spec.window_tokens) for name in (MINILM, BERT) if is_here(ModelSpec(name))
    ]
    ready = [
        bare,
        *(replace(bare, spec=replace(bare.spec, twin=(kind, seed))) for kind in TWINS for seed in range(SEEDS)),
        replace(bare, layout="shuffled"),
        *(replace(bare, settings=replace(a.settings, measure=measure)) for measure in MEASURES.values()),
        replace(bare, unit="words" if a.unit == "tokens" else "tokens"),
        *(replace(bare, spec=spec) for spec in models),
    ]
    return {name_of(choice, a): choice for choice in ready}
