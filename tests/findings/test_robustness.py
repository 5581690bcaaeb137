"""A verdict is held against the verdicts under other settings, which are those that each setting gives by itself."""

from collections.abc import Callable

from attn_core.analysis.one_text import analyze_reading, read
from attn_core.findings.robustness import sensible, stays, verdicts
from attn_core.findings.verdicts import findings
from attn_core.models.records import LoadedModel
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document
from tests.families import TEXT


def test_the_sensible_settings_are_three_measures_three_shares_and_special_tokens_in_and_out() -> None:
    found = sensible()
    assert len(found) == len(set(found)) == 18
    assert Settings() in found
    assert len(sensible("words")) == 9 and {one.with_special for one in sensible("words")} == {True}


def test_the_verdicts_under_settings_are_those_of_an_analysis_with_them(
    tiny_model: Callable[[str], LoadedModel],
) -> None:
    reading = read(tiny_model("bert"), read_document(TEXT * 3))
    for settings in (Settings("cosine", 0.03), Settings(with_special=False)):
        expected = {one.claim: one.verdict for one in findings(analyze_reading(reading, settings))}
        assert verdicts([reading], settings) == expected
        assert len(expected) == 7


def test_settings_that_leave_no_pair_have_no_verdict(tiny_model: Callable[[str], LoadedModel]) -> None:
    reading = read(tiny_model("bert"), read_document("Tide"))
    assert verdicts([reading], Settings(with_special=False)) == {}
    assert verdicts([reading], Settings()) != {}


def test_words_know_no_special_tokens_so_that_settings_which_ask_the_same_are_equal() -> None:
    assert Settings(unit="words", with_special=False) == Settings(unit="words")
    assert Settings(unit="words", with_special=False) in sensible("words")
    assert not Settings(with_special=False).with_special


def test_a_verdict_stays_where_others_say_the_same() -> None:
    chosen, cosine, rare, without = Settings(), Settings("cosine"), Settings(share=0.003), Settings(with_special=False)
    found = {
        chosen: {"C2": "as in the paper"},
        cosine: {"C2": "no clear sign"},
        rare: {"C2": "as in the paper"},
        without: {},
    }
    assert stays("C2", "as in the paper", found, chosen) == (1, 2)
    assert stays("C2", "as in the paper", found, Settings(share=0.05)) == (2, 3)
