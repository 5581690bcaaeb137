"""An address with empty, unknown, repeated or endless values: one sentence for each, and no exception."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[3]
CONTROLS = {
    "dashboard.py": ["by", "text", "layout", "measure", "q", "special", "a", "b"],
    "pages/2_Distances.py": ["layer", "sensitivity"],
    "pages/3_Specialization.py": ["method", "clusters", "role"],
    "pages/4_Anchor_tokens.py": ["anchor", "token"],
    "pages/5_Segmentation.py": ["method_a", "method_b", "number_a", "number_b", "segment_heads"],
    "pages/6_Corpus.py": ["elsewhere", "corpus_source"],
}
VALUES: dict[str, tuple[str | list[str], str]] = {  # kind -> (value, what the sentence says)
    "empty": ("", "gives no value for"),
    "empty twice": (["", ""], "gives no value for"),
    "garbage": ('<b>*%ff"&', "asks for"),
    "not a number": ("nan", "asks for"),
    "repeated": (["one", "", "no such"], "asks for"),  # of which the last counts
    "endless": ("x" * 20_000, "gives too long a value for"),
}
pytestmark = pytest.mark.model


@pytest.fixture
def tiny(tiny_folder: Callable[[str], Path]) -> str:
    return str(tiny_folder("bert"))


@pytest.mark.parametrize("page", list(CONTROLS))
@pytest.mark.parametrize("turn", [0, 3])
def test_a_value_that_cannot_be_shown_gets_a_sentence_for_each_control(tiny: str, page: str, turn: int) -> None:
    kinds = {name: list(VALUES)[(at + turn) % len(VALUES)] for at, name in enumerate(CONTROLS[page])}
    app = AppTest.from_file(str(ROOT / page), default_timeout=240)
    app.query_params["model"] = tiny
    for name, kind in kinds.items():
        app.query_params[name] = VALUES[kind][0]
    app.run()
    assert not app.exception
    sentences = [warning.value.replace("\\", "") for warning in app.warning]
    assert len(sentences) == len(kinds)
    for name, kind in kinds.items():
        assert any(f"{VALUES[kind][1]} {name}" in sentence for sentence in sentences), (name, kind, sentences)


def test_a_slider_moves_into_the_range_of_the_next_text(tiny: str) -> None:
    app = AppTest.from_file(str(ROOT / "pages/5_Segmentation.py"), default_timeout=240)
    asked = {"model": tiny, "text": "Six topics of uneven length", "number_a": "set by hand", "segments_a": "55"}
    for name, value in asked.items():
        app.query_params[name] = value
    app.run()
    assert app.slider(key="segments_a").value == 55
    app.selectbox(key="text").set_value("Three topics").run()
    assert not app.exception
    assert app.slider(key="segments_a").value == app.slider(key="segments_a").max
