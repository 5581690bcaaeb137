"""The form that starts a study."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import streamlit as st

from attn_core.errors import InputError
from attn_core.models.controls import CONTROLS, Control
from attn_core.models.files import BERT, MINILM, STACKS
from attn_core.options import CORPUS, to_argv
from attn_core.patterns.rules import BY_NAME
from attn_core.study.corpus import Corpus
from attn_core.study.descriptions import describe_layout, describe_settings, short_name
from attn_core.study.settings import layouts_of
from attn_core.study.subjects import spec_named, with_baselines
from attn_core.texts.languages import AUTO, NAMES
from attn_core.texts.passages import Layout
from attn_core.ui.readings import Choice
from attn_core.ui.runs.background import STUDY
from attn_core.ui.runs.starting import choose_corpus, offer_run
from attn_core.ui.widgets.controls import number_input
from attn_core.ui.widgets.escape import plain
from attn_core.ui.widgets.show import slug

OF_EACH_TEXT = "each text's own"
MOST_WINDOWS = 1000


def show_form(choice: Choice) -> None:
    """Texts, models and what is counted; the first model and the settings are those of the sidebar."""
    if (corpus := choose_corpus()) is None:
        return
    usual = slug(f"{Path(corpus.source).stem} {short_name(choice.spec)}")
    left, middle, right = st.columns(3)
    name = left.text_input("Name of the study", key="study_name", bind="query-params", placeholder=usual) or usual
    with middle:
        more = _choose_more(choice)
    with right:
        rules = st.multiselect(
            "Patterns", list(BY_NAME), key="study_rules", bind="query-params", format_func=BY_NAME.__getitem__,
            placeholder="none",
            help="Pairs of words that a rule finds: how well every head sees them. Annotated texts (.conllu, GAP's "
            ".tsv) have their own.",
        )  # fmt: skip
    with st.container(horizontal=True, gap="medium"):
        beside = st.checkbox(
            "Compare with copies and shuffled text", value=True, key="with_baselines", bind="query-params",
            help="Three untrained copies, three with shuffled weights, and the same tokens in random order. Only they "
            "show what was learned.",
        )  # fmt: skip
        every_setting = st.checkbox(
            "Every setting", key="every_setting", bind="query-params",
            help="Also the claims under every setting that the paper leaves open: about four times the work.",
        )  # fmt: skip
    reading = _choose_reading()
    baselines: tuple[Control, ...] = tuple(CONTROLS) if beside else ()
    try:
        command = of_study(corpus, choice, more, baselines, every_setting, rules, **reading)
        effort = _effort(corpus, [_first(choice), *more], baselines, every_setting, choice.layout)
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    settings = ", ".join(describe_settings(asdict(choice.settings) | {"unit": choice.unit}))
    st.caption(f"{effort} Settings of the sidebar: {settings}, {describe_layout(choice.layout)}.")
    offer_run(STUDY, name, command)


def _choose_more(choice: Choice) -> list[str]:
    """Models beside that of the sidebar."""
    return st.multiselect(
        f"Models, beside {plain(short_name(choice.spec))}",
        [name for name in (MINILM, BERT) if name != choice.spec.name],
        key="study_models", bind="query-params", accept_new_options=True, placeholder="none",
        help="Hugging Face ids or local folders. The first model is that of the sidebar.",
    )  # fmt: skip


def _choose_reading() -> dict[str, Any]:
    """Language and number of windows, as `of_study` takes them."""
    languages = {OF_EACH_TEXT: AUTO} | {code: code for code in NAMES}
    left, right = st.columns(2)
    language = left.selectbox(
        "Language of the texts", list(languages), key="corpus_language", bind="query-params",
        help="Decides where sentences end.",
    )  # fmt: skip
    with right:
        windows = number_input(
            "Windows of each text", 0, MOST_WINDOWS, 0, key="study_windows",
            help="0: all. The first pages of many books say more than all pages of one.",
        )  # fmt: skip
    return {"language": languages[language], "windows": windows}


def _effort(
    corpus: Corpus, models: Sequence[str], baselines: Sequence[Control], every_setting: bool, layout: Layout
) -> str:
    """What a study takes. Raises InputError where a model is named twice."""
    subjects = with_baselines([spec_named(name) for name in models], baselines, layout=layout)
    times = sum(len(layouts_of(one.layout)) if every_setting else 1 for one in subjects)
    readers = "One subject reads" if len(subjects) == 1 else f"{len(subjects)} subjects read"
    often = "once" if times == 1 else f"{times} times in all"
    return f"{readers} {corpus.size / 1e3:,.0f} kB of text, {often}. The time left is shown after the first part."


def _first(choice: Choice) -> str:
    """The model of the sidebar, as the command names it."""
    return choice.spec.place if choice.spec.stack == STACKS[0] else f"{choice.spec.place}+{choice.spec.stack}"


def of_study(
    corpus: Corpus,
    choice: Choice,
    more: Sequence[str] = (),
    baselines: Sequence[str] = (),
    every_setting: bool = False,
    rules: Sequence[str] = (),
    language: str = AUTO,
    windows: int = 0,
) -> list[str]:
    """A study as options of its command. more: models beside that of the sidebar; windows: of each text; 0: all.

    Raises InputError for a model at a revision, which the command reads as the step of a training.
    """
    if choice.spec.revision:
        raise InputError("A study that is started here reads no revision: use --revisions on a command line.")
    sizes = {"unit": choice.unit, "layout": choice.layout, "window_tokens": choice.spec.window_tokens}
    return [
        corpus.source,
        *to_argv({**{name: getattr(corpus, name) for name in CORPUS[:-1]}, "language": language}),
        *("--models", _first(choice), *more),
        *(("--controls", *baselines) if baselines else ()),
        *(["--every-setting"] if every_setting else []),
        *(part for rule in rules for part in ("--rule", rule)),
        *(("--windows", str(windows)) if windows else ()),
        *to_argv(choice.settings, sizes),
    ]
