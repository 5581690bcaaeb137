"""The Patterns page: a rule at once, pairs that are marked, and what bad input gets."""

import argparse
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.commands import patterns
from attn_core.patterns.rules import RULES, OwnRule, TextWords
from attn_core.runs import folder as files
from attn_core.ui.patterns.choice import MARKED, OWN, parse
from attn_core.ui.patterns.corpus import of_pattern
from attn_core.ui.runs import background
from tests.ui.pages import opened

PAGE = "pages/6_Patterns.py"
pytestmark = pytest.mark.model


def test_marked_pairs_are_read_from_the_address_each_once_and_never_a_word_with_itself() -> None:
    assert parse("3-9 5-5 12-40 3-9 x 7-") == ((3, 9), (12, 40))


@pytest.mark.parametrize("expression", ["(?:ab){99999999}", "((a{100}){100}){100}", "(?=a)", r"\bthe", "("])
def test_a_link_with_an_expression_that_re2_does_not_take_gets_one_sentence(expression: str) -> None:
    app = opened(PAGE, pattern=OWN, first=expression)
    (warning,) = app.warning
    assert "that RE2 takes" in warning.value


def test_a_pattern_is_told_to_the_command_as_it_stands_on_the_page() -> None:
    words = TextWords(("The", "tide", "rose", ".", "A", "tide?", "fell"), (0, 0, 0, 0, 1, 1, 1))
    assert of_pattern("Same word again", words) == ["--rule", "same_word"]
    own = ["--own", "own rule", "a|b", "c", "--direction", "backward", "--farthest", "4", "--across"]
    assert of_pattern(OwnRule("a|b", "c", "backward", 4, within=False), words) == own
    different = OwnRule("a|b", "c", "backward", 4, within=False, different=True)
    assert of_pattern(different, words) == [*own, "--different"]
    marked = ["--own", "marked words", "(?i:tide)", "(?i:rose)", "--own", "marked words", r"(?i:tide\?)", "(?i:fell)"]
    assert of_pattern(((1, 2), (5, 6)), words) == [*marked, "--direction", "forward", "--farthest", "1"]
    assert of_pattern(((2, 1), (2, 6)), words)[-5:] == ["--direction", "either", "--farthest", "4", "--across"]


def said(app: AppTest) -> str:
    """The sentence about the heads."""
    (sentence,) = (block.value for block in app.markdown if "by chance 50%" in block.value or "Pairs: " in block.value)
    return sentence


def test_one_visit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One visit, since a page takes seconds to open: a rule, two marks, a corpus, an expression that is none."""
    monkeypatch.setenv("ATTN_CORE_PATTERNS", str(tmp_path))
    failed = files.to_json({"status": "failed", "message": "The disk is full."})
    monkeypatch.setattr(background, "launch", lambda folder: files.write_file(folder / files.PROGRESS, failed))
    app = opened(PAGE, **{"open-pattern-heads": "true"})
    heads = next(each.value for each in app.dataframe if "examples" in each.value)
    sentence = re.match(r"\*\*L(\d)H(\d+) sees the (\d+) pairs best: (\d+)%\*\*.* the other half (\d+)%", said(app))
    assert sentence is not None
    layer, head, pairs, score, held_out = map(int, sentence.groups())
    assert (layer, head, pairs) == tuple(heads.iloc[0][["layer", "head", "pairs"]]) and pairs > 100
    assert held_out <= score == round(heads["score"].max())
    assert any("before any attention" in chart.proto.alt.lower() for chart in app.get("vega_lite_chart"))
    assert len(heads) == 72 and heads["score"].is_monotonic_decreasing

    app.selectbox(key="pattern").set_value(MARKED).run()
    assert "Click a word" in app.info[0].value
    assert not app.button(key="take-same-word-again").disabled and app.button(key="take-negation-and-the-word-after-it")
    app.button(key="take-same-word-again").click().run()
    assert app.selectbox(key="pattern").value == "Same word again" and f"the {pairs} pairs" in said(app)
    app.selectbox(key="pattern").set_value(MARKED).run()
    app.button(key="example").click().run()
    assert "Pairs: 5." in said(app) and len(parse(app.text_input(key="marks").value)) == 5
    app.text_input(key="marks").set_value("3-9 5-5 12-40").run()
    assert said(app) == "**Pairs: 2.** With fewer than 20 no head is named."
    assert not any(button.label.startswith("Make ") for button in app.button)
    app.button(key="start-patterns").click().run()
    (folder,) = tmp_path.iterdir()
    told = files.read_json(folder / background.COMMAND)
    assert told is not None and told["subcommand"] == "patterns"
    patterns.add_command((parser := argparse.ArgumentParser()).add_subparsers())
    assert parser.parse_args([told["subcommand"], *told["command"], "--out", str(folder)]).farthest == 28
    assert "The disk is full" in app.error[0].value  # it is chosen, and says how far it is
    app.text_input(key="marks").set_value("3-9 12-40 3-9999").run()
    assert "Pairs: 2." in said(app) and any("3-9999" in warning.value for warning in app.warning)
    app.text_input(key="marks").set_value("3-9 12-40").run()
    app.button[[button.label for button in app.button].index("Take back")].click().run()
    assert app.text_input(key="marks").value == "3-9"

    app.selectbox(key="pattern").set_value(OWN).run()
    app.text_input(key="first").set_value("(").run()
    assert "is no regular expression" in app.warning[0].value
    assert "start-patterns" not in [button.key for button in app.button]
    assert not app.exception
    assert MARKED not in RULES
