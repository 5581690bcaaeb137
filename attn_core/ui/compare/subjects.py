"""The two subjects of the page: A is what the sidebar shows, B differs from it in one thing that is chosen here."""

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.analysis.one_text import Analysis
from attn_core.errors import InputError, ModelNotHere
from attn_core.models.controls import CONTROLS, control_of, controlled
from attn_core.models.files import BERT, MINILM, ModelSpec, is_here
from attn_core.models.removal import Removal
from attn_core.study.descriptions import short_name
from attn_core.texts.documents import samples
from attn_core.ui import readings
from attn_core.ui.choice import Choice
from attn_core.ui.shell.view import View
from attn_core.ui.widgets.controls import chosen, one_of
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.head_names import MEANING, NAMES, WAYS, parsed_or_warned, without

ITSELF, MODEL, TEXT, HEADS = "the model itself", "another model", "another text", "heads removed"


@dataclass(frozen=True, eq=False)
class Compared:
    """A subject by name, and the choice that it comes from."""

    name: str
    results: Analysis
    choice: Choice


def choose(view: View, row: DeltaGenerator) -> tuple[Compared, Compared]:
    """Subject A, which the sidebar shows, and subject B; the first offer in place of one that cannot be had, and why.

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
    own = a.title if b.title != a.title else short_name(a.spec)
    return Compared(own, view.results, a), Compared(f"{name} (B)" if name == own else name, results, b)


def _changed(view: View, way: str) -> tuple[str, Choice]:
    """What B is called, and its choice: that of A with one thing changed. Raises InputError where it cannot be had."""
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
    """A under a control, by its name; without one, where A is under one."""
    if way == ITSELF:
        return replace(a, spec=replace(a.spec, copy=None), layout="plain" if a.layout == "shuffled" else a.layout)
    control = next(control for control, name in CONTROLS.items() if name == way)
    spec, layout = controlled(control, a.spec, a.layout)
    return replace(a, spec=spec, layout=layout)


def _choose_model(spec: ModelSpec) -> ModelSpec:
    typed, here = chosen("b_model"), [name for name in (MINILM, BERT) if is_here(ModelSpec(name))]
    name = st.selectbox(
        "Model", list(dict.fromkeys([*(one for one in here if one != spec.name), *filter(None, [typed])])), key="b_model",
        accept_new_options=True, bind="query-params", width=260, placeholder="a hub id or a folder",
        help="A hub id or a local folder with safetensors that lies on this machine.",
    )  # fmt: skip
    if not name:
        raise InputError("Type the hub id or the folder of another model.")
    return ModelSpec(name, window_tokens=spec.window_tokens)


def _choose_heads(view: View) -> Removal:
    """The heads that are named; head A where none is."""
    typed = st.text_input(
        "Heads", key="b_off", bind="query-params", placeholder=str(view.head_a), help=NAMES, max_chars=1000, width=200
    )
    way = one_of("Replaced by", WAYS, "b_replace", width=130, help=MEANING)
    return Removal(parsed_or_warned(typed, *view.results.shape) or (view.head_a,), way)


def _had(a: Choice, b: Choice) -> tuple[Choice, Analysis]:
    """B as it can be read, and its tables: all its windows where A and B cut their texts into other ones."""
    with st.spinner(f"Reading with {plain(short_name(b.spec))}"):
        if len(readings.passages(a.key)) != len(readings.passages(b.key)):
            b = replace(b, window=None)
        return b, readings.results(b)
