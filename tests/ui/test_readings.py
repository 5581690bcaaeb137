"""A text is read once for all pages and sessions, what is kept is bounded, and a page without a text loads no model."""

import gc
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from attn_core.analysis.one_text import Analysis
from attn_core.analysis.references import NOT_APPLICABLE
from attn_core.head import Head
from attn_core.models import capture as capturing
from attn_core.models import loading
from attn_core.models.files import ModelSpec
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.passages import Passage
from attn_core.ui import readings
from attn_core.ui.readings import Choice, TextKey
from tests.families import Folder
from tests.ui.pages import healthy, opened

TEXT = "The tide rose and covered the old pier. Nobody saw it, and the boats rose with the tide."
OF_A_TEXT = (
    "pages/0_Home.py",
    *(f"pages/{page}.py" for page in ("1_Heads", "2_Distances", "3_Specialization", "4_Anchor_tokens")),
)


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple]:
    """How often each window was read with head outputs, by model, text, window, and with maps or without."""
    capture, counted = capturing.capture, Counter[tuple]()

    def noted(model: LoadedModel, windows: Sequence[Passage], keep_maps: bool = False) -> Any:
        counted.update((str(model.spec), one.document.text, one.index, keep_maps) for one in windows)
        return capture(model, windows, keep_maps)

    monkeypatch.setattr(capturing, "capture", noted)
    return counted


def key_of(folder: Path, text: str = TEXT, window: int | None = None) -> TextKey:
    return TextKey(ModelSpec(str(folder)), text, "en", "plain", window)


def test_one_pass_serves_every_page(tiny: ModelSpec, passes: Counter[tuple]) -> None:
    for page in OF_A_TEXT:
        assert healthy(opened(page, model=tiny.name, text="A refrain"))
    assert len(passes) > 1 and set(passes.values()) == {1}, passes


def test_other_settings_and_the_only_window_take_no_pass_of_their_own(
    tiny_folder: Folder, passes: Counter[tuple]
) -> None:
    key = key_of(tiny_folder("bert"))
    pooled = readings.analysis(key, Settings())
    assert readings.analysis(replace(key, window=0), Settings()) is pooled
    for settings in (Settings(measure="cosine"), Settings(share=0.05)):
        assert readings.analysis(key, settings).reading is pooled.reading
    assert [times for (_, text, *_), times in passes.items() if text == TEXT] == [1]


def test_a_first_look_is_the_same_without_the_noise(tiny: ModelSpec, passes: Counter[tuple]) -> None:
    choice = Choice(tiny, "a text", TEXT)
    looked = readings.first_look(choice)
    assert looked.provenance["reference_texts"] == NOT_APPLICABLE
    assert [text for _, text, *_ in passes] == [TEXT]
    results = readings.results(choice)
    assert isinstance(results, Analysis) and looked.reading is results.reading
    noise = [name for name in results.heads if "noise" in name or "snr" in name]
    assert noise and looked.heads[noise[0]].isna().all() and results.heads[noise].notna().all(axis=None)
    pd.testing.assert_frame_equal(looked.heads.drop(columns=noise), results.heads.drop(columns=noise))


def test_sessions_that_ask_at_once_get_the_same_reading_of_one_pass(
    tiny_folder: Folder, passes: Counter[tuple], monkeypatch: pytest.MonkeyPatch
) -> None:
    load, loads, key = loading.load, list[ModelSpec](), key_of(tiny_folder("bert"))
    monkeypatch.setattr(loading, "load", lambda spec: loads.append(spec) or load(spec))  # type: ignore[func-returns-value]
    with ThreadPoolExecutor(8) as sessions:
        asked = [sessions.submit(readings.analysis, key, Settings()) for _ in range(8)]
    assert len({id(one.result()) for one in asked}) == 1
    own = {
        of: times for of, times in passes.items() if of[1] == TEXT
    }  # the page of an earlier test may still be reading
    assert loads.count(key.spec) == 1 and set(own.values()) == {1}


def test_what_is_kept_is_bounded(tiny_folder: Folder) -> None:
    made = []
    for number in range(12):
        key = key_of(tiny_folder("bert"), f"{TEXT} It was night {number}.")
        made.append(weakref.ref(readings.analysis(key, Settings()).reading))
    gc.collect()
    assert [one() is not None for one in made] == [False] * 4 + [True] * 8


@pytest.mark.parametrize("unit", ["tokens", "words"])
def test_of_a_long_window_one_attention_map_is_computed_alone(
    unit: str, tiny_folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, head = replace(key_of(tiny_folder("bert"), window=0), unit=unit), Head(1, 2)
    whole = readings.attention_map(key, head)
    monkeypatch.setattr(readings, "WINDOW", 16)
    monkeypatch.setattr(readings, "with_maps", lambda _key: pytest.fail("all maps were computed"))
    readings.attention_map.clear()
    assert readings.is_long(key)
    np.testing.assert_allclose(readings.attention_map(key, head), whole, atol=1e-6)


def test_a_large_model_takes_the_room_of_what_was_read(tiny_folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    before = weakref.ref(readings.analysis(key_of(tiny_folder("bert")), Settings()))
    readings.model(ModelSpec(str(tiny_folder("bert")), copy=("untrained", 0)))
    gc.collect()
    assert before() is not None
    monkeypatch.setattr(readings, "available_memory", lambda: 0.0)
    readings.model(ModelSpec(str(tiny_folder("bert")), copy=("untrained", 1)))
    gc.collect()
    assert before() is None


def test_a_folder_whose_files_were_written_again_is_read_again(tiny_bert_folder: Path) -> None:
    choice = Choice(ModelSpec(str(tiny_bert_folder)), "a text", TEXT)
    before = readings.results(choice)
    assert readings.results(choice) is before
    config = tiny_bert_folder / "tokenizer_config.json"
    config.write_text(config.read_text() + "\n")  # as a training that goes on would
    assert readings.results(choice).provenance["revision"] != before.provenance["revision"]


def test_a_page_without_a_text_loads_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "load", lambda _spec: pytest.fail("a model was loaded"))
    assert healthy(opened("pages/9_Corpus.py"))
