"""The sidebar, the same on every page. Its choices stand in the address, so that a copied link reopens the view."""

from functools import lru_cache, partial
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attn_core.analysis.one_text import Analysis
from attn_core.errors import InputError
from attn_core.io.exports import table_files
from attn_core.models.baselines import CONTROLS, Control, apply_control
from attn_core.models.facts import ModelFacts
from attn_core.models.files import BERT, MINILM, STACKS, WINDOW, ModelSpec, Stack, default_spec
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import LABELLED_MEASURES, SHARE, Settings
from attn_core.similarity.words import UNITS, Unit
from attn_core.texts.documents import samples
from attn_core.texts.passages import LAYOUTS, Layout
from attn_core.ui import readings
from attn_core.ui.readings import Choice, TextKey
from attn_core.ui.shell.completion import copies_of
from attn_core.ui.shell.text_source import choose_text
from attn_core.ui.widgets.controls import chosen, explanation, one_of, segmented
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.show import report_button, zip_button

if TYPE_CHECKING:
    from attn_core.report.document import Report

DEFAULT = "default_model"  # in the session
NO_CONTROL = "none"
ALL_WINDOWS = "all, pooled"
LEAST_TOKENS, MOST_TOKENS = 128, 1 << 17  # of a window that is offered
LEAST, MOST = 0.1, 10.0  # percent of all pairs that may be taken for strong
# What the same widgets choose is one object, for as long as nothing else is chosen.
_spec, _settings = lru_cache(maxsize=16)(ModelSpec), lru_cache(maxsize=16)(Settings)
_controlled, _choice = lru_cache(maxsize=16)(apply_control), lru_cache(maxsize=16)(Choice)


def draw() -> tuple[Choice | InputError, DeltaGenerator]:
    """Draw the sidebar. Returns the choice, or the error that prevents it, and a place for the widgets of the heads.

    Widgets that cannot fail are drawn even if a model or a text is refused.
    """
    with st.sidebar:
        model_place, text_place, heads_place, settings_place = (st.container() for _ in range(4))
        try:
            return _choose(model_place, text_place, settings_place), heads_place
        except InputError as error:
            return error, heads_place  # the page shows it where it is seen


def _choose(model_place: DeltaGenerator, text_place: DeltaGenerator, settings_place: DeltaGenerator) -> Choice:
    with settings_place, st.expander("Settings", icon=":material/tune:", key="how"):
        control = _choose_control()
        stack_place = st.container()
        tokens_place = st.container()
        layout = _choose_layout()
        settings, unit = _choose_settings()
    with model_place:
        spec = _choose_model()
    with text_place:
        text = choose_text()
        window_place = st.container()
    facts = readings.facts(spec)
    with stack_place:
        stack = _choose_stack(spec, facts)
    with tokens_place:
        tokens = _choose_window_tokens(_longest_window(facts))
    spec, layout = _controlled(control, _spec(spec.name, spec.revision, stack=stack, window_tokens=tokens), layout)
    shown = partial(_choice, spec, text.title, text.text, text.language, layout, unit=unit, settings=settings)
    with model_place, st.spinner("Loading the model"):
        windows = readings.passages(shown().key)
    with window_place:
        window = _choose_window(len(windows))
        st.caption(_size(shown().key, window))
    return shown(window=window)


def choose_without_text() -> Choice:
    """Draw the sidebar of a page that reads no text. Returns the choice, with an empty text; no model is loaded.

    Its places are those of every page: else the browser would take the model out of the address of the next one.
    """
    with st.sidebar:
        model_place, text_place, settings_place = (st.container() for _ in range(3))
    with model_place:
        spec = _choose_model()
    text_place.caption("This model, with these settings, is the first of a new study.")
    with settings_place, st.expander("Settings", icon=":material/tune:", key="how"):
        stack = _choose_stack(spec, readings.facts(spec))
        tokens = _choose_window_tokens(MOST_TOKENS)
        layout = _choose_layout()
        settings, unit = _choose_settings()
    spec = _spec(spec.name, spec.revision, stack=stack, window_tokens=tokens)
    return _choice(spec, "", "", layout=layout, unit=unit, settings=settings)


def _longest_window(facts: ModelFacts | None) -> int:
    """The most tokens that the model reads at once; `WINDOW` if it cannot be loaded, which reading then reports."""
    try:
        return facts.longest if facts else WINDOW
    except InputError:
        return WINDOW


def _choose_stack(spec: ModelSpec, facts: ModelFacts | None) -> Stack:
    """The chosen stack of an encoder-decoder; the only one of any other model, without a widget."""
    stacks = facts.stacks if facts else STACKS[:1]
    if len(stacks) == 1:
        if (asked := chosen("stack")) in STACKS[1:]:
            st.caption(f"{plain(spec.name)} has one stack and no {asked} beside it.")
        return stacks[0]
    return segmented("Stack", stacks, "stack")


def _choose_window_tokens(longest: int) -> int:
    """The chosen tokens of a window: a power of two, or all that the model reads."""
    if longest < WINDOW:
        st.caption(f"Windows of {longest} tokens: all that this model reads at once.")
        return WINDOW
    return int(one_of("Window, in tokens", _window_sizes(longest), "window_tokens", str(WINDOW)))


@lru_cache(maxsize=16)
def _window_sizes(longest: int) -> list[str]:
    """The sizes of windows that are offered: powers of two, and the longest."""
    doubled = takewhile(lambda size: size <= min(longest, MOST_TOKENS), (LEAST_TOKENS << step for step in count()))
    return [str(size) for size in sorted({*doubled, *([longest] if longest < MOST_TOKENS else [])})]


def draw_foot(choice: Choice, results: Analysis) -> None:
    """Draw the end of the sidebar: what the model is, all tables, and the report."""
    model = results.reading.model
    with st.sidebar:
        with st.expander(f"{model.layers} layers x {model.heads} heads, checked", icon=":material/verified:"):
            st.markdown(readings.kept(results, "model", partial(_about, model)))
            st.caption(f"Revision: {model.revision}")
        zip_button(choice.title, lambda: _files(readings.results(choice)), "tables")
        report_button(choice.title, lambda: _report(choice), "text")


def _about(model: LoadedModel) -> str:
    kind = "cross-attention" if model.spec.stack == "cross" else "decoder, causal" if model.causal else "encoder"
    return f"**{plain(model.spec)}**, {kind}, on {model.device}, float32. When loaded: {model.check}."


def _files(results: Analysis) -> dict[str, bytes]:
    """The files of all tables of a text and of its keywords."""
    from attn_core.analysis.keywords import keywords  # nltk takes most of a second to import

    known = vars(results).keys() & {"sources"}  # if a page asked for them
    return table_files({**results.tables(*known), "keywords": keywords(results.reading)}, results.provenance)


def _report(choice: Choice) -> "Report":
    """The report of a text. It does not name a text of the user, whose name is its first words."""
    from attn_core.report.of_tables import of_text as report_of_text

    title = choice.title if choice.title in {sample.title for sample in samples()} else None
    results = readings.results(choice)
    with_sources = "sources" in vars(results)  # if a page asked for them
    return report_of_text(results, title, copies_of(choice).layers, with_sources=with_sources)


@st.cache_data(max_entries=64, show_spinner=False)
def _size(key: TextKey, window: int | None) -> str:
    """How many sentences and tokens of a text are read."""
    windows = readings.passages(key)
    document, shown = windows[0].document, windows if window is None else [windows[window]]
    tokens = sum(map(len, shown))
    read = {sentence for passage in shown for sentence in passage.sentences[passage.sentences >= 0].tolist()}
    noun = "sentence" if len(document.sentences) == 1 else "sentences"
    return f"{len(read)} of {len(document.sentences)} {noun}, {tokens:,} tokens"


def _choose_model() -> ModelSpec:
    if DEFAULT not in st.session_state:
        st.session_state[DEFAULT] = default_spec().name
    default = st.session_state[DEFAULT]
    typed = chosen("model") or default
    models = list(dict.fromkeys([default, MINILM, BERT, typed]))
    name = one_of("Model", models, "model", accept_new_options=True)
    revision = None
    if name not in (MINILM, BERT):
        revision = st.text_input("Revision", key="revision", bind="query-params", placeholder="main") or None
    return _spec(name, revision)


def _choose_control() -> Control | None:
    """The chosen control, None for the model and the text themselves."""
    labels: dict[str, Control | None] = {NO_CONTROL: None, **{name: control for control, name in CONTROLS.items()}}
    return labels[one_of("Control", list(labels), "control")]


def _choose_layout() -> Layout:
    shuffled = chosen("control") == CONTROLS["shuffled_text"] and chosen("layout") != "separated"
    return segmented("Layout", LAYOUTS, "layout", disabled=shuffled)  # without sentences there is one layout only


def _choose_window(windows: int) -> int | None:
    if windows == 1:
        return 0
    names = [ALL_WINDOWS, *map(str, range(1, windows + 1))]
    chosen = one_of(f"Window (of {windows})", names, "window")
    return None if chosen == ALL_WINDOWS else int(chosen) - 1


def _choose_settings() -> tuple[Settings, Unit]:
    measure = segmented("Similarity of head outputs", list(LABELLED_MEASURES), "measure", usual="scalar product")
    look: Any = {"bind": "query-params"}
    strongest = "Strong pairs: top % by similarity"
    percent = st.slider(strongest, LEAST, MOST, 100 * SHARE, 0.1, key="q", help=explanation("q"), **look)
    special = "Include special tokens ([CLS], [SEP])"
    with_special = st.toggle(special, value=True, key="special", help=explanation("special"), **look)
    unit = segmented("Pairs of", UNITS, "unit")
    return _settings(LABELLED_MEASURES[measure], percent / 100, with_special), unit
