"""A source for the encoder of an encoder-decoder on the pages: chosen, named in the address, told, refused where it is bad."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attn_core
from attn_core.analysis.attention_maps import attention_of
from attn_core.errors import InputError
from attn_core.head import Head
from attn_core.models.files import STACKS, ModelSpec
from attn_core.models.loading import load
from attn_core.models.windows import with_source
from attn_core.similarity.words import in_words
from attn_core.texts import own_texts
from attn_core.texts.documents import samples
from attn_core.ui.caches import readings
from attn_core.ui.choice import TextKey
from attn_core.ui.components.packed import BLANK
from attn_core.ui.runs.background import of_model
from attn_core.ui.shell.frame import LAST
from attn_core.ui.shell.source_choice import NEW, SAME
from attn_core.ui.shell.text_source import MINE, OWN
from tests.families import Folder
from tests.ui.pages import NO_TEXT, PAGES, healthy, opened, quick_only_on
from tests.ui.shell.test_own_texts import address, link

At = Callable[..., AppTest]
LAMP = "The lamp is lit. The keeper climbs the stair, and the lamp turns."
SHORT, LONG = "A refrain", "Six topics of uneven length"
TEXTS = {sample.title: sample.text for sample in samples()}


@pytest.fixture(scope="module")
def both(stacks_folder: Folder) -> str:
    return str(stacks_folder("t5"))


@pytest.fixture
def at(both: str) -> At:
    """A page of the tiny T5's cross-attention."""
    return lambda page="dashboard.py", **asked: opened(page, **{"model": both, "text": SHORT, "stack": "cross"} | asked)


def read_of_source(app: AppTest) -> str:
    (told,) = [caption.value for caption in app.caption if caption.value.startswith("Of the source")]
    return told


def chosen(app: AppTest) -> ModelSpec:
    return app.session_state[LAST].spec


def group(app: AppTest) -> str:
    (label,) = [expander.label for expander in app.expander if "special tokens" in expander.label]
    return label


def test_the_encoder_reads_the_same_text_until_another_is_chosen(both: str, at: At) -> None:
    app = at()
    box = app.selectbox(key="source")
    assert healthy(app) and box.options[:2] == [SAME, NEW] and SHORT in box.options and box.value == SAME
    assert chosen(app).source is None and group(app).startswith("cross, ")
    box.set_value(LONG).run()
    spec = ModelSpec(both, stack="cross", source=TEXTS[LONG])
    assert healthy(app) and replace(chosen(app), files="") == spec
    assert group(app).startswith("cross with a source, ")
    named = f"t5, cross-attention, source sha256 {spec.source_sha256[:12]}"
    assert any(named in caption.value.replace("\\", "") for caption in app.caption)
    beside = with_source(load(replace(spec, source=None)), TEXTS[LONG]).source
    assert beside is not None and beside.windows > 1
    assert read_of_source(app) == f"Of the source it reads {beside}."
    app.button_group(key="stack").set_value("encoder").run()
    assert healthy(app) and chosen(app).source is None
    assert not [each for each in app.selectbox if each.key == "source"]


@pytest.mark.parametrize("page", quick_only_on("pages/1_Heads.py", without=NO_TEXT))
def test_every_page_shows_a_source_of_a_link(page: str, at: At) -> None:
    stack = STACKS[2 - PAGES.index(page) % 2]  # the other one without a source, in `test_stacks`
    app = at(page, stack=stack, source=LONG)
    assert not app.exception and not app.error
    assert app.selectbox(key="source").value == LONG
    assert chosen(app).source == TEXTS[LONG] and chosen(app).stack == stack
    assert address(app)["source"] == LONG


def test_a_pasted_source_is_kept_under_a_name_and_opens_again(at: At) -> None:
    app = at()
    app.selectbox(key="source").set_value(NEW).run()
    assert [each.value.replace("\\", "").split(" Still")[0] for each in app.warning] == [
        "The source, which the encoder reads, is empty: give a text, or leave it out."
    ]
    app.text_area(key="own_source").set_value(LAMP).run()
    name = link(LAMP)
    assert healthy(app) and chosen(app).source == LAMP
    assert address(app)["source"] == app.selectbox(key="source").value == name
    again = at("pages/2_Distances.py", source=name)
    assert healthy(again) and chosen(again).source == LAMP
    again = again.selectbox(key="source").set_value(NEW).run()
    assert again.text_area(key="own_source").value == ""


def test_a_source_can_be_a_file_and_is_the_same_text_when_it_is_deleted(at: At) -> None:
    app = at(source=NEW)
    app.file_uploader(key="source_upload").set_value(("lamp.txt", LAMP.encode(), "text/plain")).run()
    assert healthy(app) and chosen(app).source == LAMP and address(app)["source"] == link(LAMP)
    app.selectbox(key="text").set_value(MINE).run()
    app.button(key="delete-mine").click().run()
    assert not app.exception and app.selectbox(key="source").value == SAME


def test_where_nothing_is_kept_a_source_lives_in_the_session(at: At, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_texts, "folder", lambda: None)
    app = at(source=NEW)
    app.text_area(key="own_source").set_value(LAMP).run()
    assert healthy(app) and chosen(app).source == LAMP and address(app)["source"] == NEW
    app.toggle(key="special").set_value(False).run()
    assert chosen(app).source == LAMP
    app.session_state["page_shown"] = "another page"
    app.run()
    assert chosen(app).source == LAMP == app.text_area(key="own_source").value


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [("a.txt", b"\x89PNG\r\n\0\0", "This looks like a binary file"), ("b.txt", b"?!", "is empty|There is no word")],
)
def test_a_bad_source_is_told_in_a_sentence(name: str, data: bytes, says: str, at: At) -> None:
    app = at(source=NEW)
    app.file_uploader(key="source_upload").set_value((name, data, "text/plain")).run()
    assert not app.exception
    told = [*(each.value for each in app.toast), *(each.value for each in app.warning)]
    assert any(part in each for part in says.split("|") for each in told)
    assert any("Still showing" in each.value for each in app.warning)


def test_a_link_to_a_source_that_is_not_here_says_so(at: At) -> None:
    app = at(source="Gone")
    assert not app.exception and chosen(app).source is None
    assert any("asks for source = Gone, which does not exist here" in each.value for each in app.warning)


@pytest.mark.parametrize("unit", ["tokens", "words"])
def test_attention_to_a_source_is_a_map_of_its_own(unit: str, both: str, at: At, sent: list[dict[str, Any]]) -> None:
    assert healthy(at("pages/1_Heads.py", source="Three topics", unit=unit, a="L1H2", b="L2H3", difference="true"))
    model = load(ModelSpec(both, stack="cross", source=TEXTS["Three topics"]))
    analysis = attn_core.analyze(TEXTS[SHORT], model, window=1, settings=attn_core.Settings(unit=unit))  # type: ignore[arg-type]
    (passage,) = analysis.reading.passages
    assert model.attended is not None
    source = in_words(model.attended)[0] if unit == "words" else model.attended
    data = next(data for data in sent if data["columns"])
    assert data["rows"]["names"] == [passage.surface(i) for i in range(len(passage))]
    assert data["columns"]["names"] == [source.surface(i) for i in range(len(source))]
    tokens = attn_core.analyze(TEXTS[SHORT], model, window=1).reading.passages[0]
    expected = attention_of(model, tokens, [Head(0, 1), Head(1, 2)], unit)  # type: ignore[arg-type]
    side = max(len(passage), len(source))
    for panel, attention in zip(data["panels"], [*expected, expected[0] - expected[1]], strict=True):
        low, high = panel["range"]
        shown = low + panel["codes"].reshape(side, side) * (high - low) / (BLANK - 1)
        np.testing.assert_allclose(shown[: len(passage), : len(source)], attention, atol=1e-4)
    (similar,) = [data for data in sent if not data["columns"] and len(data["panels"]) == 3]
    assert not any("attention" in panel["title"] for panel in similar["panels"])


def test_a_long_source_makes_a_short_text_long(both: str) -> None:
    """Then maps are made of the heads that are looked at, and of no others."""
    spec = ModelSpec(both, window_tokens=1024, stack="cross", source=TEXTS[LONG])
    key = TextKey(spec, LAMP, "en", "plain", 0)
    assert readings.is_long(key) and len(readings.passages(key)[0]) < 512
    assert not readings.is_long(replace(key, spec=replace(spec, stack="decoder")))
    assert readings.reading(key).outputs[0].attention is None
    source = readings.attended(spec, "tokens")
    assert source is not None and readings.attention_map(key, "tokens", Head(0, 0)).shape[1] == len(source) > 512


def test_segments_are_those_of_the_text_alone(at: At) -> None:
    asked = {"page": "pages/5_Segmentation.py", "text": LONG, "open-segments": "true"}
    app = at(**asked, source=SHORT)
    assert any("its sentences are read without the source" in caption.value for caption in app.caption)
    beside, alone = (each.dataframe[0].value for each in (app, at(**asked)))
    assert beside.equals(alone) and len(alone) > 2


def test_nothing_is_started_on_a_corpus_with_a_source(both: str, at: At) -> None:
    app = at("pages/6_Patterns.py", source=LONG)
    assert any("all weights are 0" in caption.value for caption in app.caption)
    assert any("Each text of a corpus would need a source" in caption.value for caption in app.caption)
    spec = ModelSpec(both, stack="cross", source=LAMP)
    with pytest.raises(InputError, match="Each text of a corpus would need a source of its own"):
        of_model(spec)
    assert of_model(replace(spec, source=None))[-2:] == ["--stack", "cross"]


def test_a_text_that_is_pasted_has_the_source_of_the_link(at: At, tmp_path: Path) -> None:
    app = at(source=LONG)
    app.selectbox(key="text").set_value(OWN).run()
    app.text_area(key="own_text").set_value(LAMP).run()
    assert healthy(app) and chosen(app).source == TEXTS[LONG] and app.session_state[LAST].text == LAMP
