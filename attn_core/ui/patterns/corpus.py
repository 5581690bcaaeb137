"""The pattern that the Patterns page shows, over a corpus: started from the page, or by the command that stands there."""

from pathlib import Path

import streamlit as st

from attn_core.errors import InputError
from attn_core.models.controls import control_of
from attn_core.patterns.rules import RULES, OwnRule, Sought, TextWords, of_words, pairs_of
from attn_core.texts.languages import AUTO
from attn_core.ui.choice import Choice
from attn_core.ui.patterns.choice import words_of
from attn_core.ui.runs import background
from attn_core.ui.runs.corpus import choose_corpus
from attn_core.ui.runs.kinds import PATTERNS
from attn_core.ui.runs.starting import offer_run
from attn_core.ui.shell.view import TextView
from attn_core.ui.widgets.downloads import slug
from attn_core.ui.widgets.escape import plain

OWN, MARKED = "own rule", "marked words"  # what scores call these patterns


def offer(view: TextView, sought: Sought) -> None:
    """The form that scores the pattern over a corpus; model and layout are those of the sidebar."""
    choice = view.choice
    if control_of(choice.spec, choice.layout) == "shuffled":
        st.caption(":material/info: In shuffled text a rule would pair other words: take the text as it stands.")
        return
    if not sought:
        st.caption(":material/info: Mark pairs in the text first: their words are then looked for in every text.")
        return
    try:
        how = _of_choice(choice)
        pairs_of(sought, TextWords((), ()))  # an expression that is none is refused here
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    if (corpus := choose_corpus()) is None:
        return
    if isinstance(sought, tuple):
        st.caption("Marked pairs: their words, wherever they stand in that order, as near at most as you marked them.")
    called = sought if isinstance(sought, str) else OWN if isinstance(sought, OwnRule) else MARKED
    usual = slug(f"{Path(corpus.source).stem} {called}")
    name = st.text_input("Name of the scores", key="scores_name", bind="query-params", placeholder=usual) or usual
    pattern = of_pattern(sought, words_of(view, view.window.passage.index))
    offer_run(PATTERNS, name, [*background.of_corpus(corpus, AUTO), *pattern, *how])


def of_pattern(sought: Sought, text: TextWords) -> list[str]:
    """The pattern, as `patterns` is told of it. text: the words of the window in which pairs were marked."""
    if isinstance(sought, str):
        return ["--rule", RULES[sought].__name__]
    name, rules = (OWN, [sought]) if isinstance(sought, OwnRule) else (MARKED, of_words(sought, text))
    command = [part for rule in rules for part in ("--own", name, rule.first, rule.second)]
    command += ["--direction", rules[0].direction, "--farthest", str(rules[0].farthest)]
    return command + ([] if rules[0].within else ["--across"]) + (["--different"] if rules[0].different else [])


def _of_choice(choice: Choice) -> list[str]:
    return background.of_model(choice.spec, choice.layout)
