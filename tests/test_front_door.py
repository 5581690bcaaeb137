"""The public names of the package: each checks what it gets, has a short repr, and its example runs."""

import doctest
import inspect
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attn_core
from attn_core.analysis.one_text import Analysis
from attn_core.charts.catalogue import CHARTS
from attn_core.head import Head, head_of
from attn_core.models.files import ModelSpec, default_spec
from attn_core.models.records import LoadedModel
from attn_core.texts.documents import read_document
from tests.families import TEXT, Tiny

LINES, CHARACTERS = 12, 1200  # a few lines
LONG = TEXT * 12  # several windows of a tiny model


def bad(call: Callable[[], Any]) -> str:
    """The one sentence that a call is refused with."""
    with pytest.raises(attn_core.InputError) as caught:
        call()
    message = str(caught.value)
    assert message.endswith(".") and "\n" not in message and len(message) < 300
    return message


@pytest.fixture(scope="module")
def analysis(tiny_model: Tiny) -> Analysis:
    return attn_core.analyze(LONG, tiny_model("bert"), attn_core.Settings("cosine", 0.02))


@pytest.mark.long
def test_every_public_name_stays_what_it_is_whatever_is_imported() -> None:
    """In a process of its own: here all is imported already."""
    script = """
import importlib, inspect, pkgutil, sys
import attn_core
assert not {'torch', 'transformers', 'pandas'} & sys.modules.keys()
assert set(attn_core.__all__) <= set(dir(attn_core)) and '__version__' in dir(attn_core)
before = {name: getattr(attn_core, name) for name in attn_core.__all__}
for module in pkgutil.walk_packages(attn_core.__path__, 'attn_core.'):
    if not module.name.startswith(('attn_core.ui', 'attn_core.__main__')):
        importlib.import_module(module.name)
for name in attn_core.__all__:
    assert getattr(attn_core, name) is before[name] and not inspect.ismodule(before[name]), name
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """The names that every example uses, as the example of the package makes them."""
    (whole,) = doctest.DocTestFinder(recurse=False).find(attn_core, globs={"np": np})
    run(whole)
    return whole.globs


def run(test: doctest.DocTest) -> None:
    """Run an example; its names are kept."""
    said: list[str] = []
    assert doctest.DocTestRunner().run(test, out=said.append, clear_globs=False).failed == 0, "".join(said)


@pytest.mark.model
@pytest.mark.parametrize("name", attn_core.__all__)
def test_the_example_of_every_public_name_gives_what_it_says(name: str, names: dict[str, Any]) -> None:
    thing = getattr(attn_core, name)
    finder = doctest.DocTestFinder(recurse=inspect.isclass(thing), exclude_empty=True)
    tests = [test for test in finder.find(thing, name, globs=dict(names)) if test.examples]
    assert tests, f"{name} has no example"
    for test in tests:
        run(test)


def test_what_is_public_shows_itself_in_a_few_lines(analysis: Analysis, tiny_model: Tiny) -> None:
    model, reading = tiny_model("bert"), analysis.reading
    folder = Path(attn_core.__file__).parent / "study" / "sample" / "from-noise"
    shown = [
        analysis, reading, model, reading.document, reading.passages[0], reading.outputs[0], analysis.windows[0],
        attn_core.Study.open(folder), attn_core.Settings(), model.spec, attn_core.Subject("model", model.spec),
        attn_core.StudySettings(), attn_core.Corpus("novels"),
    ]  # fmt: skip
    for one in shown:
        told = repr(one)
        assert len(told) <= CHARACTERS and told.count("\n") < LINES, told
        assert type(one).__name__ in told and " object at 0x" not in told
    assert "3 layers x 4" in repr(analysis)


def test_similarity_is_the_matrix_that_strong_pairs_are_the_largest_of(analysis: Analysis) -> None:
    pairs = analysis.pairs.query("layer == 2 and head == 3 and window == 2")
    matrix = analysis.similarity("L2H3", window=2)
    assert matrix.shape == (len(analysis.windows[1].passage),) * 2
    above = matrix[np.triu_indices(len(matrix), 1)]
    assert np.sort(above)[-len(pairs) :] == pytest.approx(np.sort(pairs["similarity"]), abs=1e-6)
    assert (analysis.similarity(Head(1, 2), 2) == matrix).all()


def test_similarity_asks_for_the_window_where_several_were_read(analysis: Analysis, tiny_model) -> None:
    assert "say which, such as window=1" in bad(lambda: analysis.similarity("L1H1"))
    assert "Window 0 was not read" in bad(lambda: analysis.similarity("L1H1", 0))
    alone = attn_core.analyze(LONG, tiny_model("bert"), analysis.settings, window=2)
    assert (alone.similarity("L1H1") == analysis.similarity("L1H1", 2)).all()
    assert (alone.similarity("L1H1", window=2) == alone.similarity("L1H1")).all()


def test_windows_count_from_one(tiny_model) -> None:
    model = tiny_model("bert")
    whole = attn_core.analyze(LONG, model)
    for number in (1, 2, len(whole.windows)):
        found = attn_core.analyze(LONG, model, window=number)
        assert found.tokens["window"].unique() == [number] and found.provenance["windows"] == str(number)
    for wrong in (0, -1, len(whole.windows) + 1, True, "1", 1.5):
        bad(partial(attn_core.analyze, LONG, model, window=wrong))


def test_the_model_that_was_loaded_last_is_kept(tiny: ModelSpec) -> None:
    first, second = (attn_core.analyze(LONG, tiny.name, window_tokens=n).reading.model for n in (None, 48))
    assert first.network is second.network and second.max_tokens == 48


def test_default_names_the_default_model() -> None:
    assert attn_core.ModelSpec("default", copy=("untrained", 0)) == replace(default_spec(), copy=("untrained", 0))


def test_a_head_is_taken_by_name_and_what_is_none_of_a_model_is_said() -> None:
    assert {head_of(name, 3, 2) for name in ("L3H2", "l3h2", " L3H2 ", (2, 1), Head(2, 1))} == {Head(2, 1)}
    for name in ("L4H1", "L3", "", "L0H1", (3, 0), (-1, 0), 7, None, (1, 2, 3)):
        bad(partial(head_of, name, 3, 2))


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_of_a_text_or_a_study_is_one_line(name: str, analysis: Analysis) -> None:
    study = attn_core.Study.open(Path(attn_core.__file__).parent / "study" / "sample" / "minilm-on-sample-texts")
    shown = {"claims": [study], "segments": [analysis]}.get(name, [analysis, study])  # a text has no claims
    for spec in [attn_core.chart(results, name).to_dict() for results in shown]:
        assert spec["title"] and spec["description"] and spec["datasets"]
        assert {param["name"] for param in spec["params"]} >= {"head_a", "head_b"}


def test_a_chart_shows_the_statistic_that_is_asked_for(analysis: Analysis) -> None:
    shown = attn_core.chart(analysis, "heads", "repetition_share").to_dict()
    (rows,) = (rows for rows in shown["datasets"].values() if len(rows) == 12)
    assert [row["repetition_share"] for row in rows] == pytest.approx(analysis.heads["repetition_share"].tolist())
    assert shown["title"].startswith("Repetition")


REFUSED: dict[str, tuple[Callable[[LoadedModel], Any], str]] = {
    "claims of a text": (lambda model: attn_core.chart(attn_core.analyze(TEXT, model), "claims"), "of an Analysis is"),
    "measure": (lambda _: attn_core.Settings("centered"), "dot, cosine or centred, not 'centered'"),
    "share 5": (lambda _: attn_core.Settings(share=5), "above 0 and at most 1"),
    "unit": (lambda m: attn_core.analyze(TEXT, m, unit="word"), "tokens or words, not 'word'"),
    "layout": (lambda m: attn_core.analyze(TEXT, m, layout="weird"), "plain, separated or shuffled, not 'weird'"),
    "list": (lambda m: attn_core.analyze([TEXT], m), "A text is of type str, not list"),
    "language": (lambda m: attn_core.analyze(TEXT, m, language=5), "A language code is of type str, not int"),
    "settings": (lambda m: attn_core.analyze(TEXT, m, "cosine"), "is of type Settings, not str"),
    "model": (lambda _: attn_core.analyze(TEXT, 5), "A model is its hub id"),
    "Document": (lambda _: attn_core.Document("abc", ((0, 9),)), "spans"),
    "tokens": (
        lambda m: attn_core.read_passages(read_document(TEXT), m.tokenizer, -3), "whole number from 1 on, not -3"
    ),
    "load": (lambda _: attn_core.load("bert"), "is of type ModelSpec"),
    "ablation": (lambda _: attn_core.ModelSpec("bert", ablation="L1H1"), "is of type Removal"),
    "one head": (lambda m: attn_core.ablate(m, "L1H1"), "a list of names"),
    "no head": (lambda m: attn_core.ablate(m, [5]), "A head is a name"),
    "capture": (lambda m: attn_core.capture(m, []), "a list of at least one"),
    "similarity": (lambda _: attn_core.context_similarity(np.ones((2, 2)), "centered"), "dot, cosine or centred"),
    "z": (lambda m: attn_core.find_strong_pairs(np.ones((1, 1, 3, 2)), passage_of(m)), "tokens of the passage"),
    "outputs": (
        lambda _: attn_core.HeadOutputs(np.ones((2, 2)), np.ones(2), None, np.ones(2)), "(layer, head, token, d_head)"
    ),
    "Passage": (lambda m: replace(passage_of(m), tokens=("a",)), "for each of its tokens"),
    "StrongPairs": (
        lambda m: attn_core.StrongPairs(passage_of(m), np.ones(3), *[np.ones((1, 1, 2))] * 3),
        "(layer, head, pair)",
    ),
    "study folder": (lambda _: attn_core.Study.open(5), "by its folder"),
    "subjects of one name": (
        lambda _: attn_core.with_baselines([attn_core.ModelSpec("a/b"), attn_core.ModelSpec("a/b", "r")]),
        "Two of the subjects are called a/b"),
    "corpus": (lambda _: attn_core.Corpus(5), "a folder, a glob or a file"),
    "documents": (lambda _: attn_core.Corpus("novels", documents="page"), "file, blank-line or line, not 'page'"),
    "study": (lambda _: attn_core.StudySettings("cosine"), "is of type Settings, not str"),
    "study rule": (lambda _: attn_core.StudySettings(rules=("rhymes",)), "There is no rule 'rhymes'"),
    "study language": (lambda _: attn_core.StudySettings(language="English!"), "no language code"),
    "chart": (lambda _: attn_core.chart(5, "heads"), "an Analysis or a study"),
}  # fmt: skip


def passage_of(model: LoadedModel) -> attn_core.Passage:
    return attn_core.read_passages(read_document(TEXT), model.tokenizer, model.max_tokens)[0]


def test_nonsense_is_refused_with_what_is_taken(tiny_model: Tiny) -> None:
    for what, (call, sentence) in REFUSED.items():
        assert sentence in bad(partial(call, tiny_model("bert"))), what
