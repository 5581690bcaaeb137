"""The pattern that the Patterns page shows, over a corpus: started from the page, or by the command that stands there."""

import shlex
from pathlib import Path

import streamlit as st

from attn_core.errors import InputError, cause
from attn_core.models.controls import control_of
from attn_core.patterns.rules import RULES, OwnRule, Sought, TextWords, of_words, pairs_of
from attn_core.study.corpus import Corpus
from attn_core.study.reread import corpus_of
from attn_core.texts.languages import AUTO
from attn_core.ui.caches import in_folders
from attn_core.ui.choice import Choice
from attn_core.ui.jobs import background, studies
from attn_core.ui.jobs.corpus_choice import choose_corpus
from attn_core.ui.jobs.result_folders import root
from attn_core.ui.patterns.choice import words_of
from attn_core.ui.patterns.scores import PLACE
from attn_core.ui.shell.frame import TextView
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
        pairs_of(sought, TextWords((), ()))  # an expression that is none is told here
        corpus = chosen_corpus()
    except InputError as error:
        st.caption(f":material/info: {plain(error)}")
        return
    except OSError as error:
        st.caption(f":material/info: The texts cannot be read: {plain(cause(error))}.")
        return
    if isinstance(sought, tuple):
        st.caption("Marked pairs: their words, wherever they stand in that order, as near at most as you marked them.")
    text = words_of(view, view.window.passage.index)
    pattern = [*of_pattern(sought, text), *how]
    called = sought if isinstance(sought, str) else OWN if isinstance(sought, OwnRule) else MARKED
    usual = slug(f"{Path(corpus.source).stem} {called}")
    name = st.text_input("Name of the scores", key="scores_name", bind="query-params", placeholder=usual) or usual
    command = [*background.of_corpus(corpus, AUTO), *pattern]
    if st.button("Start", icon=":material/play_arrow:", type="primary", key="start-patterns"):
        try:
            st.session_state["scores"] = background.begin(root("patterns"), name, "patterns", command).name
            st.session_state[f"open-{PLACE}"] = True
        except (InputError, OSError) as error:
            st.warning(plain(error), icon=":material/info:")
    st.caption("It runs in the background; this does the same on a command line, where `--workers` and `--dask` help:")
    st.code(
        shlex.join(["python", "-m", "attn_core", "patterns", *command, "--out", f"patterns/{slug(name)}"]),
        "sh",
        wrap_lines=True,
    )


def of_pattern(sought: Sought, text: TextWords) -> list[str]:
    """The pattern, as `patterns` is told of it. text: the words of the window in which pairs were marked."""
    if isinstance(sought, str):
        return ["--rule", RULES[sought].__name__]
    name, rules = (OWN, [sought]) if isinstance(sought, OwnRule) else (MARKED, of_words(sought, text))
    command = [part for rule in rules for part in ("--own", name, rule.first, rule.second)]
    command += ["--direction", rules[0].direction, "--farthest", str(rules[0].farthest)]
    return command + ([] if rules[0].within else ["--across"])


def chosen_corpus() -> Corpus:
    """The texts of the study under *Numbers from*, else those that are chosen here. Raises InputError where there are none."""
    name = str(st.session_state.get("numbers", ""))
    if (study := studies.finished().get(name)) is None:
        return choose_corpus()
    corpus = corpus_of(in_folders.study(study).manifest)
    st.caption(f"The texts of the study **{plain(name)}**, in {plain(corpus.source)}.")
    return corpus


def _of_choice(choice: Choice) -> list[str]:
    twin = ["--control", choice.spec.twin[0]] if choice.spec.twin else []
    return [*background.of_model(choice.spec), *twin, "--layout", choice.layout]
