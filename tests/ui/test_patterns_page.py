"""The Patterns page: a rule at once, pairs that are marked, and what bad input gets."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.patterns.rules import RULES
from attn_core.ui.pattern_choice import MARKED, OWN, parse

PAGE = Path(__file__).parents[2] / "pages" / "8_Patterns.py"
pytestmark = pytest.mark.model


def test_marked_pairs_are_read_from_the_address_each_once_and_never_a_word_with_itself() -> None:
    assert parse("3-9 5-5 12-40 3-9 x 7-") == ((3, 9), (12, 40))


def test_one_visit() -> None:
    """One visit, since a page takes seconds to open: a rule, two marks, an expression that is none."""
    app = AppTest.from_file(str(PAGE), default_timeout=240).run()
    assert not app.exception
    assert [metric.label for metric in app.metric][0] == "Pairs"
    assert int(app.metric[0].value) > 100  # the default rule finds pairs in the default text
    heads = app.dataframe[0].value
    assert len(heads) == 72 and heads["score"].is_monotonic_decreasing

    app.selectbox(key="pattern").set_value(MARKED).run()
    assert "Click a word" in app.info[0].value
    app.text_input(key="marks").set_value("3-9 5-5 12-40").run()
    assert app.metric[0].value == "2"
    assert app.metric[3].value == "–"  # too few to tell: no verdict
    assert any("Too few" in caption.value for caption in app.caption)
    app.button[[button.label for button in app.button].index("Take back the last")].click().run()
    assert app.text_input(key="marks").value == "3-9"

    app.selectbox(key="pattern").set_value(OWN).run()
    app.text_input(key="first").set_value("(").run()
    assert "is no regular expression" in app.warning[0].value
    assert not app.exception
    assert MARKED not in RULES
