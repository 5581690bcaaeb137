"""The Interventions page with a tiny model: head A removed, its effect among those of other heads."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import streamlit as st
from transformers import BertConfig

from attn_core.charts.interventions import MORE
from attn_core.charts.style import SELECTION
from attn_core.head import Head
from attn_core.interventions.effects import effects_of
from attn_core.interventions.orders import sets_alike
from attn_core.models.files import ModelSpec
from attn_core.models.loading import load
from attn_core.texts.documents import read_document
from attn_core.texts.passages import read_passages
from attn_core.ui.readings import Choice
from attn_core.ui.removals import Removed, click, in_names, parsed
from tests.families import ENCODER, Family, save_whole
from tests.ui.pages import healthy, opened, text_of

TEXT, LONG = "A refrain", "Six topics of uneven length"
CHANGE = "Change of the sentence embedding"


@pytest.mark.parametrize(
    ("address", "heads", "window"),
    [
        ({"a": "L1H1"}, [Head(0, 0)], 0),
        ({"a": "L2H1"}, [Head(1, 0)], 0),
        ({"a": "L2H1", "off": "L3H2"}, [Head(1, 0), Head(2, 1)], 0),
        ({"a": "L2H1", "text": LONG}, [Head(1, 0)], 0),
        ({"a": "L2H1", "text": LONG, "window": "2"}, [Head(1, 0)], 1),
    ],
    ids=str,
)
def test_head_a_is_removed_and_its_effect_is_among_those_of_other_heads(
    tiny: ModelSpec, address: dict[str, str], heads: Sequence[Head], window: int
) -> None:
    """Of the first window, unless another is chosen."""
    loaded, document = load(tiny), read_document(text_of(address.get("text", TEXT)))
    passages = read_passages(document, loaded.tokenizer, loaded.max_tokens)
    own, *others = effects_of(loaded, passages[window], [heads, *sets_alike(heads, (3, 4))]).embedding
    assert len(others) == 4 ** len(heads) - 1
    app = opened("pages/7_Interventions.py", **{"model": tiny.name, "text": TEXT} | address)
    assert healthy(app)
    (metric,) = [one for one in app.metric if one.label == CHANGE]
    assert (metric.value, metric.delta) == (f"{own:.2%}", f"chance: {min(others):.2%} to {max(others):.2%}")
    further = "further" if own > max(others) else "less" if own < min(others) else "about as far"
    assert any(f"The embedding moves {further}" in one.value for one in app.markdown)
    said = f"This page reads window 1 of {len(passages)} alone"
    assert any(said in caption.value for caption in app.caption) == (len(passages) > 1 and not window)


@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (2, 1), (1, 2)])
def test_a_model_of_one_or_two_heads_has_its_effects_and_curve(layers: int, heads: int, tmp_path: Path) -> None:
    few = {**ENCODER, "num_hidden_layers": layers, "num_attention_heads": heads}
    folder = save_whole(tmp_path / "few", Family(BertConfig, few))
    folds = ("words-changed", "importance", "pruning-curve", "entropy")
    app = opened("pages/7_Interventions.py", model=str(folder), text=TEXT, **{f"open-{one}": "true" for one in folds})
    assert healthy(app)
    assert [one.label for one in app.metric] == [CHANGE, "Heads that can go"] and len(app.dataframe) == len(folds)


def test_the_importance_of_many_heads_is_estimated_until_a_table_asks() -> None:
    key = Choice(ModelSpec("none"), "", "").key
    assert not Removed((Head(0, 0),), "mean", key, (20, 12)).is_measured


@pytest.mark.parametrize(
    ("selection", "a", "off"),
    [
        ({SELECTION: [{"layer": 2, "head": 3}]}, "L2H3", "L1H2"),  # a browser sends what has changed
        ({SELECTION: [{"layer": 2, "head": 3}], MORE: []}, "L2H3", "L1H2"),
        ({MORE: [{"layer": 2, "head": 3}]}, "L1H1", "L1H2 L2H3"),
        ({SELECTION: [], MORE: [{"layer": 1, "head": 2}]}, "L1H1", ""),
        ({SELECTION: [], MORE: []}, "L1H1", "L1H2"),
    ],
)
def test_a_click_removes_another_head_and_with_shift_one_more(
    selection: dict[str, list[dict[str, int]]], a: str, off: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = {"a": "L1H1", "off": "L1H2", "chart-map": {"selection": selection}}
    monkeypatch.setattr(st, "session_state", state)
    click("map", (3, 4))
    assert (state["a"], state["off"]) == (a, off)


def test_names_of_heads_are_read_as_they_are_written() -> None:
    heads = (Head(0, 1), Head(1, 0), Head(1, 1), Head(1, 2), Head(2, 2))
    assert in_names(heads, 3) == "L1H2 L2 L3H3"
    assert parsed("L1H2 L2 L3H3", 3, 3) == (heads, [])
    assert parsed("H1, l2h2", 2, 3) == ((Head(0, 0), Head(1, 0), Head(1, 1)), [])
