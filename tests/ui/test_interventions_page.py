"""The Interventions page with a tiny model: heads off in the address, their effect beside chance, work in the background."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attn_core.head import Head, every_head
from attn_core.interventions.effects import effects_of
from attn_core.interventions.importance import estimated_importance
from attn_core.interventions.random_sets import sets_alike
from attn_core.models.files import ModelSpec, as_it_lies
from attn_core.models.loading import load
from attn_core.models.records import LoadedModel
from attn_core.texts.documents import read_document, samples
from attn_core.texts.passages import Passage, read_passages
from attn_core.ui.interventions.heads_off import in_names, parsed
from attn_core.ui.jobs.in_thread import WORKS

PAGE = Path(__file__).parents[2] / "pages" / "9_Interventions.py"
TEXT = "A refrain"


def opened(model: str, **address: str) -> AppTest:
    app = AppTest.from_file(str(PAGE), default_timeout=240)
    for name, value in {"model": model, "text": TEXT, **address}.items():
        app.query_params[name] = value
    return settled(app.run())


def settled(app: AppTest) -> AppTest:
    """The page once nothing works in the background any more."""
    for _ in range(600):
        works = app.session_state[WORKS].values() if WORKS in app.session_state else ()
        if not any(work.at_work for work in works):
            return app.run()
        time.sleep(0.1)
    raise AssertionError("work in the background does not end")


@pytest.fixture(scope="module")
def model(tiny_folder: Callable[[str], Path]) -> str:
    return str(tiny_folder("bert"))


@pytest.fixture(scope="module")
def read_by(model: str) -> tuple[LoadedModel, Passage]:
    loaded = load(as_it_lies(ModelSpec(model)))
    sample = next(sample for sample in samples() if sample.title == TEXT)
    passage: Passage = read_passages(read_document(sample.text, sample.language), loaded.tokenizer, loaded.max_tokens)[
        0
    ]
    return loaded, passage


def healthy(app: AppTest) -> bool:
    return not app.exception and not app.warning and not app.error


def big_number(app: AppTest) -> tuple[str, str]:
    (metric,) = [one for one in app.metric if one.label == "Change of the sentence embedding"]
    return metric.value, metric.delta


def test_with_all_heads_on_nothing_changes_and_a_hint_says_what_to_do(model: str) -> None:
    app = opened(model)
    assert healthy(app)
    assert big_number(app) == ("0.00%", "no head is off")
    assert any("All heads are on" in info.value for info in app.info)


def test_the_address_takes_heads_off_and_their_effect_stands_beside_that_of_random_ones(
    model: str, read_by: tuple[LoadedModel, Passage]
) -> None:
    app = opened(model, off="L2H1 L3H2")
    assert healthy(app)
    heads = (Head(1, 0), Head(2, 1))
    sets = sets_alike(heads, (3, 4))
    effects = effects_of(*read_by, [heads, *sets]).embedding
    low, high = effects[1:].min(), effects[1:].max()
    assert len(sets) == 15  # 4 x 4 sets, themselves aside
    assert big_number(app) == (f"{effects[0]:.2%}", f"chance: {low:.2%} to {high:.2%}")
    told = next(caption.value for caption in app.caption if caption.value.startswith("Without L2H1, L3H2"))
    assert f"{int((effects[1:] >= effects[0]).sum())} move it as far" in told


def test_undo_and_all_back_on(model: str) -> None:
    app = opened(model, off="L2H1")
    app.button(key="off-layer-2").click().run()
    assert app.text_input(key="off").value == "L2H1 L3"
    app.button(key="off-layer-2").click().run()
    assert app.text_input(key="off").value == "L2H1"
    app.button(key="off-undo").click().run()
    assert app.text_input(key="off").value == "L2H1 L3"
    app.button(key="off-none").click().run()
    assert app.text_input(key="off").value == ""
    app.button(key="off-undo").click().run()
    assert app.text_input(key="off").value == "L2H1 L3"
    app.button(key="off-a").click().run()
    assert app.text_input(key="off").value == "L1H1 L2H1 L3"
    assert healthy(settled(app))


def test_a_head_that_is_not_there_gets_one_sentence_and_the_others_go(model: str) -> None:
    app = opened(model, off="L2H1 L9H1")
    (warning,) = app.warning
    assert warning.value.startswith("There is no L9H1 in this model") and not app.exception
    assert big_number(app)[0] != "0.00%"


def test_all_heads_off_works_and_says_so(model: str) -> None:
    app = opened(model, off="L1 L2 L3")
    assert healthy(app)
    assert any("All heads are off" in caption.value for caption in app.caption)
    assert any("Whole layers are off" in caption.value for caption in app.caption)


def test_heads_are_measured_one_by_one_and_the_estimate_is_held_against_them(
    model: str, read_by: tuple[LoadedModel, Passage]
) -> None:
    app = opened(model)
    assert any("**estimated** at once" in caption.value for caption in app.caption)
    app.button(key="measure-heads").click().run()
    app = settled(app)
    measured = effects_of(*read_by, [[head] for head in every_head(3, 4)]).embedding
    estimated = estimated_importance(*read_by).ravel()
    table = next(frame.value for frame in app.dataframe if "measured_importance" in frame.value)
    order = table["layer"].sub(1).mul(4).add(table["head"]).sub(1).to_numpy()
    assert table["measured_importance"].to_numpy() / 100 == pytest.approx(measured[order], rel=1e-4)
    assert table["estimated_importance"].to_numpy() / 100 == pytest.approx(estimated[order], rel=1e-4)
    ranks = np.argsort(np.argsort([measured, estimated], axis=1), axis=1)
    agreement = f"rank correlation of {np.corrcoef(ranks)[0, 1]:.2f}"
    assert any(agreement in caption.value and "12 effects are many" in caption.value for caption in app.caption)


def test_even_attention_is_measured_and_not_estimated(model: str) -> None:
    app = opened(model, replace="even", off="L1H1")
    assert healthy(app)
    assert any("measured, not estimated" in caption.value for caption in app.caption)


def test_the_curve_ends_where_all_heads_are_gone(model: str, read_by: tuple[LoadedModel, Passage]) -> None:
    app = opened(model, **{"open-pruning-curve": "true"})
    app.button(key="begin-curve").click().run()
    app = settled(app)
    assert healthy(app)
    table = next(frame.value for frame in app.dataframe if "median" in frame.value)
    everything = effects_of(*read_by, [every_head(3, 4)]).embedding[0]
    assert table.iloc[-1][["effect", "low", "median", "high"]].to_numpy(float) == pytest.approx(
        [everything] * 4, rel=1e-4
    )
    assert any("of 12 heads** can go at an effect of 1%" in caption.value for caption in app.caption)


def test_the_temperature_of_a_head(model: str) -> None:
    app = opened(model, a="L3H2", temperature="1", **{"open-temperature": "true"})
    (metric,) = [one for one in app.metric if one.label.startswith("Effect of L3H2")]
    assert metric.value == "0.000%"
    app.button(key="begin-temperature").click().run()
    app = settled(app)
    assert healthy(app)
    assert any("at T = 0.1 and" in caption.value and "at T = 10" in caption.value for caption in app.caption)


def test_a_word_is_changed_beside_other_words(model: str) -> None:
    app = opened(model, word_to="sea", **{"open-word": "true"})
    app.button(key="begin-word").click().run()
    app = settled(app)
    assert healthy(app)
    table = next(frame.value for frame in app.dataframe if "matrix_change" in frame.value)
    assert len(table) == 12 and (table["excess"].diff().dropna() <= 0).all()
    assert any("of 12 heads** change more than under each of 10 other words" in block.value for block in app.markdown)


def test_names_of_heads_are_read_as_they_are_written() -> None:
    heads = (Head(0, 1), Head(1, 0), Head(1, 1), Head(1, 2), Head(2, 2))
    assert in_names(heads, 3) == "L1H2 L2 L3H3"
    assert parsed("L1H2 L2 L3H3", 3, 3) == (heads, [])
    assert parsed("H1, l2h2", 2, 3) == ((Head(0, 0), Head(1, 0), Head(1, 1)), [])
