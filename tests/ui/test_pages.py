"""Every page through Streamlit's AppTest: at its start, with every control moved, and for every sample text."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.findings.bars import BARS
from attn_core.texts.documents import samples
from attn_core.ui.shell.frame import LAST
from tests.families import Folder
from tests.ui.pages import PAGES, healthy, opened, quick_only_on

SEGMENTED = ("A refrain", "German: a market morning", "Six topics of uneven length")  # a short one, and one with gold
NEEDS_MORE_THAN_A_CHOICE = {"My own text", "A file of mine"}
SHORT = "A refrain"  # so that many reruns take little time
MODELS = ("text", "model", "b_model")  # which take a download or a text of one's own
pytestmark = pytest.mark.model
CLAIMED = {
    "1_Heads": "C1",
    "2_Distances": "C2",
    "3_Specialization": "C4",
    "4_Anchor_tokens": "C5",
    "5_Segmentation": "C6",
}


def of_its_own(app: AppTest, page: str) -> Any:
    """Where a page's own controls are; those of the sidebar, the same everywhere, are moved on Home."""
    return app if page == "dashboard.py" else app.main


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_with_title_headings_tables_and_explanation(page: str, real: bool, tiny_folder: Folder) -> None:
    """With a tiny model and a short text, and with the real one at the first start."""
    text = "Three topics" if "Segmentation" in page else SHORT  # which has gold boundaries
    app = opened(page) if real else opened(page, model=str(tiny_folder("bert")), text=text)
    assert healthy(app)
    assert len(app.title) == 1
    if not page.endswith(("Corpus.py", "Segmentation.py")):  # empty until there is a study; one part
        assert app.header
    assert app.header or not app.subheader  # a heading of the third level stands below one of the second
    assert app.dataframe or any("-open-" in expander.proto.id for expander in app.expander) or "Corpus" in page
    (explained,) = [expander for expander in app.expander if expander.label == "How to read this"]
    assert any(block.value.startswith("**Our choice.**") for block in explained.markdown)
    if claim := CLAIMED.get(Path(page).stem):
        picture = app.get("vega_lite_chart")[0].proto.alt  # a row of it a row of the claim
        assert picture.count(f"{claim} ") == sum(bars.claim == claim for bars in BARS)


@pytest.mark.parametrize("page", ["pages/2_Distances.py", "pages/3_Specialization.py", "pages/4_Anchor_tokens.py"])
def test_one_line_leads_to_every_heading_of_a_page(page: str) -> None:
    app = opened(page)
    (line,) = [caption.value for caption in app.caption if caption.value.startswith("On this page: ")]
    links = [f"[{header.value}](#{header.proto.anchor})" for header in app.header]
    assert len(set(links)) > 2
    assert line == "On this page: " + " · ".join(links)
    again = app.run()  # the line of the last run stands there from the start
    assert line in [caption.value for caption in again.caption]


def test_the_clusters_are_explained_where_that_is_opened() -> None:
    page = "pages/3_Specialization.py"
    charts = len(opened(page).get("vega_lite_chart"))
    app = opened(page, **{"open-clusters": "true"})
    assert healthy(app)
    assert len(app.get("vega_lite_chart")) == charts + 2


def test_a_session_starts_with_what_is_waited_for_and_fetches_what_draws_charts() -> None:
    def start() -> None:
        from attn_core.ui.shell import frame

        frame._fetch_what_draws()

    app = opened(start)
    assert len(app.get("vega_lite_chart")) == 1
    assert "Loading the model" in app.caption[0].value
    app.session_state[LAST] = "a choice"
    app.run()
    assert not app.get("vega_lite_chart") and not app.caption


@pytest.mark.parametrize("page", quick_only_on("pages/2_Distances.py"))
def test_every_choice_of_every_control_works(page: str) -> None:
    app = opened(page, text=SHORT)
    its = of_its_own(app, page)
    for key in [box.key for box in its.selectbox if box.key not in MODELS and not box.disabled]:
        options = app.selectbox(key=key).options
        tried = dict.fromkeys(
            (options[-1], options[len(options) // 2], options[0])
        )  # the first last: others may hide boxes
        for option in [option for option in tried if option not in NEEDS_MORE_THAN_A_CHOICE]:
            app.selectbox(key=key).set_value(option).run()
            assert healthy(app), (key, option)
    for key in [toggle.key for toggle in its.toggle]:
        app.toggle(key=key).set_value(not app.toggle(key=key).value).run()
        assert healthy(app), key
    for key in [group.key for group in its.button_group if not group.disabled]:
        for option in app.button_group(key=key).options:
            if app.button_group(key=key).disabled:  # by an option tried before
                break
            app.button_group(key=key).set_value(option).run()
            assert healthy(app), (key, option)
    for key in [slider.key for slider in its.slider if not slider.disabled]:
        for value in (app.slider(key=key).min, app.slider(key=key).max):
            app.slider(key=key).set_value(value).run()
            assert healthy(app), (key, value)


@pytest.mark.long
@pytest.mark.parametrize("sample", [sample.title for sample in samples()])
def test_every_sample_text_works(sample: str) -> None:
    assert healthy(opened("dashboard.py", text=sample))
    if sample in SEGMENTED:
        assert healthy(opened("pages/5_Segmentation.py", text=sample))


@pytest.mark.parametrize("page", quick_only_on("pages/4_Anchor_tokens.py"))
def test_words_centred_without_special_tokens_work(page: str) -> None:
    app = opened(page, unit="words", measure="centred cosine", special="false", q="3.0")
    assert healthy(app)


@pytest.mark.parametrize("page", quick_only_on("pages/3_Specialization.py"))
def test_pooled_windows_and_separated_layout_work(page: str) -> None:
    app = opened(page, text="Six topics of uneven length", window="all, pooled", layout="separated")
    assert healthy(app)
    headline = any("in 3 windows, pooled" in caption.value for caption in app.caption)
    assert headline or any(
        name in page for name in ("Segmentation", "Corpus", "Training", "Findings")
    )  # the whole text, and no text


def test_home_names_the_paper_and_says_of_how_much_of_a_long_text_it_speaks() -> None:
    app = opened("dashboard.py", text="Six topics of uneven length", window="2", **{"open-rows": "true"})
    assert any("Halevi, Tzach, Gross" in text.value and "arXiv 2512.21956" in text.value for text in app.markdown)
    captions = [caption.value for caption in app.caption]
    assert any("window 2 of 3 only" in caption and "% of the text" in caption for caption in captions)
    assert any("window 2 of 3 ·" in caption and "plain layout" in caption for caption in captions)
    assert [link.proto.query_string for link in app.get("page_link")] == [""] * (len(BARS) - 1) + ["x=layer&y=Noise"]
    pooled = opened("dashboard.py", text="Six topics of uneven length", window="all, pooled", layout="separated")
    assert not any("window" in caption.value and "only" in caption.value for caption in pooled.caption)
    assert any("separated layout" in caption.value for caption in pooled.caption)


def test_head_a_moves_by_button_beside_a_map_and_stays_at_its_edge() -> None:
    app = opened("dashboard.py", a="L1H2")
    for direction, head in (("left", "L1H1"), ("left", "L1H1"), ("down", "L2H1"), ("right", "L2H2"), ("up", "L1H2")):
        app.button(key=f"{direction}-head-map").click().run()
        assert app.session_state["a"] == head, direction
    app.selectbox(key="a").set_value("L6H12").run()
    for direction in ("right", "down"):
        app.button(key=f"{direction}-head-map").click().run()
        assert app.session_state["a"] == "L6H12"
    assert healthy(app)


def test_the_buttons_of_the_heads_page_step_and_swap() -> None:
    app = opened("pages/1_Heads.py", a="L1H12", b="L3H2")
    app.button(key="Next-a").click().run()
    assert app.session_state["a"] == "L2H1"
    next(button for button in app.button if button.label == "Swap A and B").click().run()
    assert (app.session_state["a"], app.session_state["b"]) == ("L3H2", "L2H1")
    assert healthy(app)


def test_the_numbers_on_the_page_are_those_of_the_library() -> None:
    import attn_core

    sample = samples()[0]
    expected = attn_core.analyze(sample.text, window=1).layers
    shown = opened("pages/2_Distances.py", **{"open-layers": "true"}).dataframe[0].value
    assert shown["mean_distance"].tolist() == pytest.approx(expected["mean_distance"].tolist())
