"""An address with empty, unknown, repeated or endless values: one sentence for each, and no exception."""

from collections.abc import Callable
from pathlib import Path

import pytest

from attn_core.ui.patterns.choice import OWN
from attn_core.ui.widgets.address import KEPT
from tests.quick import quick_only
from tests.ui.pages import opened, visit

CONTROLS = {
    "dashboard.py": ["by", "text", "layout", "measure", "q", "special", "a", "b"],
    "pages/2_Distances.py": ["sensitivity"],
    "pages/3_Specialization.py": ["x", "y", "colour"],
    "pages/4_Anchor_tokens.py": ["token"],
    "pages/5_Segmentation.py": ["method_a", "method_b", "number_a", "number_b"],
    "pages/9_Corpus.py": ["corpus_source"],
}
VALUES: dict[str, tuple[str | list[str], str]] = {  # kind -> (value, what the sentence says)
    "empty": ("", "gives no value for"),
    "empty twice": (["", ""], "gives no value for"),
    "garbage": ('<b>*%ff"&', "asks for"),
    "not a number": ("nan", "asks for"),
    "repeated": (["one", "", "no such"], "asks for"),  # of which the last counts
    "endless": ("x" * 20_000, "gives too long a value for"),
}
OUT_OF_REACH = ("inf", "-inf", "Infinity", "1e400", "1e300", "nan", "9" * 500)
pytestmark = pytest.mark.model


@pytest.fixture
def tiny(tiny_folder: Callable[[str], Path]) -> str:
    return str(tiny_folder("bert"))


def test_what_a_link_says_goes_before_what_waits_in_the_address(tiny: str) -> None:
    app = visit(model=tiny, measure="dot")
    app.session_state[KEPT] = {"layout": ["separated"], "measure": ["cosine"]}
    app.run()
    assert (app.session_state["layout"], app.session_state["measure"]) == ("separated", "scalar product")


@pytest.mark.parametrize("page", CONTROLS)
@pytest.mark.parametrize("turn", quick_only([0, 3], 0))
def test_a_value_that_cannot_be_shown_gets_a_sentence_for_each_control(tiny: str, page: str, turn: int) -> None:
    kinds = {name: list(VALUES)[(at + turn) % len(VALUES)] for at, name in enumerate(CONTROLS[page])}
    asked = {"model": tiny, "open-sensitivity": "true"}  # a control that is folded away is not asked
    app = opened(page, **asked | {name: VALUES[kind][0] for name, kind in kinds.items()})
    sentences = [warning.value.replace("\\", "") for warning in app.warning]
    assert len(sentences) == len(kinds)
    for name, kind in kinds.items():
        assert any(f"{VALUES[kind][1]} {name}" in sentence for sentence in sentences), (name, kind, sentences)


@pytest.mark.parametrize("value", quick_only(OUT_OF_REACH, "inf"))
@pytest.mark.parametrize(
    ("page", "names", "needed"),
    [
        ("dashboard.py", ["q"], {}),
        ("pages/5_Segmentation.py", ["segments_a", "segments_b"], {f"number_{one}": "set by hand" for one in "ab"}),
        ("pages/6_Patterns.py", ["farthest"], {"pattern": OWN, "first": "inf"}),
    ],
)
def test_a_number_without_end_gets_a_sentence(
    tiny: str, page: str, names: list[str], needed: dict[str, str], value: str
) -> None:
    app = opened(page, model=tiny, **needed, **dict.fromkeys(names, value))
    sentences = [warning.value.replace("\\", "") for warning in app.warning]
    assert [any(f"asks for {name}" in sentence for sentence in sentences) for name in names] == [True] * len(names)
    if "first" in needed:  # a word like any other
        assert app.text_input(key="first").value == "inf"
