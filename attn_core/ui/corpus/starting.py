"""The form that starts a study."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import streamlit as st

from attn_core.errors import InputError
from attn_core.models.controls import CONTROLS
from attn_core.models.files import STACKS
from attn_core.options import CORPUS, to_argv
from attn_core.patterns.rules import BY_NAME
from attn_core.study.corpus import Corpus
from attn_core.study.in_words import layout_in_words, settings_in_words, short_name
from attn_core.texts.languages import AUTO, NAMES
from attn_core.ui.choice import Choice
from attn_core.ui.runs.kinds import STUDY
from attn_core.ui.runs.starting import choose_corpus, offer_run
from attn_core.ui.widgets.controls import number_input
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain

OF_EACH_TEXT = "each text's own"
MOST_WINDOWS = 1000


def begin(choice: Choice) -> None:
    """Model and settings are those of the sidebar."""
    model = short_name(choice.spec)
    if (corpus := choose_corpus()) is None:
        return
    languages = {OF_EACH_TEXT: AUTO} | {code: code for code in NAMES}
    usual = slug(f"{Path(corpus.source).stem} {model}")
    left, middle, right = st.columns(3)
    name = left.text_input("Name of the study", key="study_name", bind="query-params", placeholder=usual) or usual
    language = middle.selectbox(
        "Language of the texts", list(languages), key="corpus_language", bind="query-params",
        help="Decides where sentences end. Told by each text itself, unless you name one.",
    )  # fmt: skip
    with right:
        windows = number_input(
            "Windows of each text", 0, MOST_WINDOWS, 0, key="study_windows",
            help="0: all. The first pages of many books say more than all pages of one.",
        )  # fmt: skip
    with st.container(horizontal=True, gap="medium"):
        beside = st.checkbox(
            "Compare with copies and shuffled text", value=True, key="with_baselines", bind="query-params",
            help="Three untrained copies, three with shuffled weights, and the same tokens in random order: eight times the "
            "work. Without them nothing tells what was learned.",
        )  # fmt: skip
        every_setting = st.checkbox(
            "Every setting", key="every_setting", bind="query-params",
            help="Also the claims under every setting that the paper leaves open: about four times the work.",
        )  # fmt: skip
    rules = st.multiselect(
        "Patterns", list(BY_NAME), key="study_rules", bind="query-params", format_func=BY_NAME.__getitem__, placeholder="none",
        help="Pairs of words that a rule finds: how well every head sees them. Annotated texts (.conllu, GAP's .tsv) come with "
        "theirs.",
    )  # fmt: skip
    settings = ", ".join(settings_in_words(asdict(choice.settings) | {"unit": choice.unit}))
    st.caption(
        f"Model and settings are those of the sidebar: {plain(model)}, {settings}, {layout_in_words(choice.layout)}."
    )
    try:
        command = of_study(
            corpus, languages[language], choice, tuple(CONTROLS) if beside else (), every_setting, rules, windows
        )
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    offer_run(STUDY, name, command)


def of_study(
    corpus: Corpus,
    language: str,
    choice: Choice,
    baselines: Sequence[str],
    every_setting: bool,
    rules: Sequence[str],
    windows: int,
) -> list[str]:
    """Texts, model, baselines and settings of a study, as options of its command. windows: of each text; 0: all.

    Raises InputError for a model at a revision, which the command reads as the step of a training.
    """
    spec = choice.spec
    if spec.revision:
        raise InputError("A study that is started here reads no revision: use --revisions on a command line.")
    return [
        corpus.source,
        *to_argv({**{name: getattr(corpus, name) for name in CORPUS[:-1]}, "language": language}),
        *("--models", spec.place if spec.stack == STACKS[0] else f"{spec.place}+{spec.stack}"),
        *(("--controls", *baselines) if baselines else ()),
        *(["--every-setting"] if every_setting else []),
        *(part for rule in rules for part in ("--rule", rule)),
        *(("--windows", str(windows)) if windows else ()),
        *to_argv(choice.settings, {"unit": choice.unit, "layout": choice.layout, "window_tokens": spec.window_tokens}),
    ]
