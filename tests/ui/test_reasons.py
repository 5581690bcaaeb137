"""Why tokens are alike, on Home, Anchor tokens and Specialization: the sources of the library beside both copies."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import attn_core
from attn_core.analysis.one_text import Analysis
from attn_core.head import Head
from attn_core.measures.anchors import content_tokens, token_labels
from attn_core.models.baselines import copy_of
from attn_core.models.files import COPIES, ModelSpec
from attn_core.report import of_tables
from attn_core.report.document import html
from attn_core.texts.token_names import quoted
from attn_core.ui import readings
from attn_core.ui.components import shaded_text
from attn_core.ui.shell import sidebar
from attn_core.ui.widgets.escape import plain
from tests.families import Folder
from tests.ui.pages import described, healthy, opened, shown, text_of

TITLE = "A refrain"
TEXT = text_of(TITLE)
HOME, SPECIALIZATION, ANCHORS = "pages/0_Home.py", "pages/3_Specialization.py", "pages/4_Anchor_tokens.py"
READ = "read by its pairs"
Saved = dict[str, tuple[pd.DataFrame, dict[str, Any]]]


@pytest.fixture(scope="module")
def spec(tiny_folder: Folder) -> ModelSpec:
    """A model with a head that reads a word of content more than any head of its copies reads anything."""
    return ModelSpec(str(tiny_folder("modernbert")))


@pytest.fixture(scope="module")
def analysis(spec: ModelSpec) -> Analysis:
    return attn_core.analyze(TEXT, spec)


@pytest.fixture(scope="module")
def of_copies(spec: ModelSpec) -> dict[str, float]:
    """The most above chance that any head of a copy reads any token."""
    tables = {name: attn_core.analyze(TEXT, copy_of(spec, kind)).sources for kind, name in COPIES.items()}
    return {name: (table["share"] - table["chance_share"]).max() for name, table in tables.items()}


@pytest.fixture(scope="module")
def clearest(analysis: Analysis) -> Any:
    """The source, a word of content, that stands furthest above chance."""
    table = analysis.sources.query("rank == 1")
    table = table[table["token_id"].isin(content_tokens(analysis.windows))]
    return table.loc[(table["share"] - table["chance_share"]).idxmax()]


def sentence(analysis: Analysis, row: Any, of_copies: dict[str, float]) -> str:
    """What is said of a head whose source is a word of content, with the tokens that most of its pairs touch."""
    labels, content = token_labels(analysis.windows), {*content_tokens(analysis.windows)}
    pairs = analysis.pairs.query(f"layer == {row['layer']} and head == {row['head']}")
    ids = dict(zip(analysis.tokens["token"], analysis.tokens["token_id"], strict=True))
    ends = [{ids[one], ids[two]} for one, two in zip(pairs["first_token"], pairs["second_token"], strict=True)]
    counted = Counter(one for pair in ends for one in pair if one in content and one != row["token_id"])
    most = sorted(counted, key=lambda one: (-counted[one], one))[:3]
    *others, last = [quoted(labels[one]) for one in most if counted[one] >= 0.05 * len(pairs)]
    beside = "".join(f", {name} at most {most:.0%}" for name, most in of_copies.items())
    return (
        f"{', '.join(others)} and {last} are alike, since they read {quoted(labels[row['token_id']])}: "
        f"{row['share']:.0%} of their similarity, of any pair {row['chance_share']:.0%}; above chance "
        f"{row['share'] - row['chance_share']:.0%}{beside}"
    )


def test_the_head_that_reads_a_word_most_is_worth_a_look_beside_both_copies(
    spec: ModelSpec, analysis: Analysis, of_copies: dict[str, float], clearest: Any
) -> None:
    app, head = opened(HOME, model=spec.name, text=TITLE), f"L{clearest['layer']}H{clearest['head']}"
    button = app.button(key=f"notable-{head}")
    assert plain(sentence(analysis, clearest, of_copies)) in button.label
    button.click().run()
    assert healthy(app) and app.selectbox(key="a").value == head
    app = opened(SPECIALIZATION, model=spec.name, text=TITLE, a=head)
    assert plain(f"{sentence(analysis, clearest, of_copies)}.") in [one.value for one in app.markdown]
    first = analysis.sources.query("rank == 1")
    least = first.loc[(first["share"] - first["chance_share"]).idxmin()]
    app.selectbox(key="a").set_value(f"L{least['layer']}H{least['head']}").run()
    (said,) = [one.value for one in app.markdown if "that its strong pairs read" in one.value]
    word = quoted(token_labels(analysis.windows)[least["token_id"]])
    expected = f"No token that its strong pairs read stands out; most of all {word}, {least['share']:.0%} of their"
    assert said.startswith(plain(expected))


def test_a_switch_shades_the_text_by_what_two_tokens_read(spec: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(shaded_text, "packed", lambda header, values: sent.append((header, values)))
    monkeypatch.setattr(shaded_text, "_component", lambda **_: {"pinned": 7})
    monkeypatch.setattr(shaded_text, "pinned_before", lambda *_: 7)
    app = opened(HOME, model=spec.name, text=TITLE, a="L2H3", window="1", shades="why")
    analysis, head = attn_core.analyze(TEXT, spec, window=1), Head.named("L2H3")
    similarity, passage = analysis.similarity(head), analysis.reading.passages[0]
    others = np.delete(np.arange(len(passage)), 7)
    most = int(others[similarity[7, others].argmax()])
    (choice,) = [one for one in app.button_group if str(one.key).startswith("with-")]
    assert choice.value == passage.whole(most)
    named = choice.options[2]
    asked = max((at for at in others if passage.whole(at) == named), key=lambda at: similarity[7, at])
    for other in (most, int(asked)):
        header, values = sent[-1]
        why = analysis.explain(head, 7, other)
        assert header["ends"] == (7, other)
        np.testing.assert_allclose(values, why.tokens["contribution"])
        assert values.sum() == pytest.approx(similarity[7, other], abs=1e-4)
        said = plain(f"have a similarity of {similarity[7, other]:.3g}, any pair")
        assert healthy(app) and [one for one in app.markdown if said in one.value]
        choice.set_value(named).run()


def test_anchor_tokens_has_the_sources_of_every_head(
    spec: ModelSpec, analysis: Analysis, of_copies: dict[str, float], clearest: Any, saved: Saved
) -> None:
    head, labels = Head.of_row(clearest["layer"], clearest["head"]), token_labels(analysis.windows)
    app = opened(ANCHORS, model=spec.name, text=TITLE, a=str(head), tokens=READ)
    content, every = content_tokens(analysis.windows), analysis.sources
    for table in (every, every[every["token_id"].isin(content)]):
        first = table.assign(excess=table["share"] - table["chance_share"]).groupby(["layer", "head"]).head(1)
        expected = first.sort_values("excess", ascending=False, kind="stable")
        ranked = saved["sources"][0].dropna(subset="share")
        columns = ["layer", "head", "token", "token_id", "occurrences", "share", "chance_share", "excess"]
        np.testing.assert_array_equal(ranked[columns].to_numpy(), expected[columns].to_numpy())
        assert [*ranked["source_word"]] == [labels[one] for one in expected["token_id"]]
        assert [*saved[f"sources-{head}"][0]["share"]] == [*head.rows_of(table)["share"]]
        assert healthy(app) and len(saved["sources"][0]) == np.prod(analysis.shape)
        app.toggle(key="content").set_value(True).run()
    (said,) = [one.value for one in app.caption if "of a copy" in one.value]
    assert all(f"{name} {most:.1%}" in said for name, most in of_copies.items())
    source = f"{quoted(labels[clearest['token_id']])} in {head}, {clearest['share']:.0%} (chance"
    assert source in described(app, "The source of every head")


def test_of_a_causal_model_no_source_is_named_without_copies(tiny_folder: Folder) -> None:
    of_copy = {"model": str(tiny_folder("gpt2")), "text": TITLE, "control": "untrained copy", "tokens": READ}
    for page, said in ((SPECIALIZATION, "only beside copies of the model"), (ANCHORS, "beside its copies alone")):
        app = opened(page, **of_copy)
        assert healthy(app) and [one for kind in (app.caption, app.markdown) for one in kind if said in one.value]
        assert not [one for one in app.get("vega_lite_chart") if one.proto.alt.startswith("The source of")]


@pytest.mark.long
def test_sources_are_in_the_archive_and_the_report_once_a_page_has_read_them(
    spec: ModelSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_tables, "drawing", lambda *_, **__: "<svg></svg>")  # to draw the figures takes seconds
    for page, has in (("pages/2_Distances.py", False), (HOME, True)):
        choice = shown(opened(page, model=spec.name, text=TITLE, q="2.0"))
        assert ("sources.csv" in sidebar._files(readings.results(choice))) == has
        assert (b"The source of every head" in html(sidebar._report(choice))) == has


@pytest.mark.parametrize("page", [HOME, SPECIALIZATION, ANCHORS])
def test_where_sources_are_not_known_the_sentence_of_the_library_stands_in_their_place(
    page: str, spec: ModelSpec
) -> None:
    with pytest.raises(attn_core.InputError) as error:
        attn_core.analyze(TEXT, spec, attn_core.Settings("centred")).sources  # noqa: B018
    app = opened(page, model=spec.name, text=TITLE, measure="centred cosine", tokens=READ)
    said = [one.value for kind in (app.caption, app.markdown) for one in kind]
    assert healthy(app) and said.count(plain(error.value)) == 1
