"""A verdict is held against the verdicts under other settings, one choice changed at a time."""

import pytest

from attn_core.analysis.one_text import analyze_reading
from attn_core.analysis.reading import read
from attn_core.findings.bars import BARS
from attn_core.findings.robustness import Tried, others, sensible, tried, verdicts
from attn_core.findings.verdicts import findings
from attn_core.similarity.strong_pairs import Settings
from attn_core.texts.documents import read_document
from tests.families import TEXT, Tiny

ROWS = [bars.effect for bars in BARS]
AS, NO_SIGN = "as in the paper", "no clear sign"


def test_one_choice_is_changed_at_a_time() -> None:
    chosen = Settings()
    assert others(chosen) == {
        "measure": (Settings("cosine"), Settings("centred")),
        "share": (Settings(share=0.003), Settings(share=0.03)),
        "special": (Settings(with_special=False),),
        "unit": (Settings(unit="words"),),
    }
    assert sensible(chosen)[0] == chosen and len(set(sensible(chosen))) == 7


def test_words_know_no_special_tokens_so_that_settings_which_ask_the_same_are_equal() -> None:
    assert Settings(unit="words", with_special=False) == Settings(unit="words")
    assert others(Settings(unit="words"))["special"] == ()
    assert not Settings(with_special=False).with_special


def test_the_verdicts_under_settings_are_those_of_an_analysis_with_them(tiny_model: Tiny) -> None:
    reading = read(tiny_model("bert"), read_document(TEXT * 3))
    for settings in (Settings("cosine", 0.03), Settings(with_special=False)):
        expected = {one.row: one.verdict for one in findings(analyze_reading(reading, settings))}
        assert verdicts([reading], settings) == expected
        assert list(expected) == ROWS


def test_settings_that_leave_no_pair_have_no_verdict(tiny_model: Tiny) -> None:
    reading = read(tiny_model("bert"), read_document("Tide"))
    assert verdicts([reading], Settings(with_special=False)) == {}
    assert verdicts([reading], Settings()) != {}


def test_what_every_choice_does_is_told_by_itself() -> None:
    chosen, few = Settings(), Settings(share=0.003)
    by_settings = {
        chosen: dict.fromkeys(ROWS, AS),
        Settings("cosine"): dict.fromkeys(ROWS, AS),
        few: dict.fromkeys(ROWS, NO_SIGN),
        Settings(with_special=False): {},
        Settings(unit="words"): dict.fromkeys(ROWS, AS),
    }
    assert tried("reach", by_settings, chosen) == [
        Tried("measure", (Settings("cosine"),), ()),
        Tried("share", (), ((few, NO_SIGN),)),
        Tried("unit", (Settings(unit="words"),), ()),
    ]
    assert tried("reach", {}, chosen) == []


@pytest.mark.parametrize("row", ROWS)
def test_what_cannot_move_a_row_is_left_out(row: str) -> None:
    by_settings = {settings: dict.fromkeys(ROWS, AS) for settings in sensible(Settings())}
    dimensions = [way.dimension for way in tried(row, by_settings, Settings())]
    assert dimensions == (["unit"] if row.startswith("separator") else ["measure", "share", "special", "unit"])


def test_attention_to_separators_is_the_same_under_every_measure_and_share(tiny_model: Tiny) -> None:
    """Which is why neither is said of it."""
    reading = read(tiny_model("bert"), read_document(TEXT * 2))
    for settings in (one for name, group in others(Settings()).items() if name != "unit" for one in group):
        here, there = (
            analyze_reading(reading, one).layers["separator_attention"].tolist() for one in (Settings(), settings)
        )
        assert here == there
