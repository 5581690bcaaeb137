"""The documents show what the program says now of the sample text; to be made anew by `python -m attn_core figures`."""

import re
from pathlib import Path

import pytest

from attn_core.analysis.one_text import Analysis
from attn_core.errors import InputError
from attn_core.findings.verdicts import findings
from attn_core.report.of_readme import FIGURES, TABLE, analysed, figures, reproduced, sample, verdicts, write

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analysed()


def numbers(text: str) -> list[float]:
    return [float(one) for one in NUMBER.findall(text)]


def alike(shown: str, made: str) -> bool:
    """The same words, and numbers that differ by rounding at most."""
    words = [" ".join(NUMBER.sub("#", text).split()) for text in (shown, made)]
    return words[0] == words[1] and numbers(shown) == pytest.approx(numbers(made), abs=0.11)


def test_the_table_of_verdicts_is_the_program_s(analysis: Analysis) -> None:
    place = TABLE.search((ROOT / "docs" / "results.md").read_text("utf-8"))
    assert place is not None
    assert alike(place[0].removeprefix(place[1]).removesuffix(place[2]).strip(), verdicts(analysis))


def test_the_readme_shows_the_reproduction_that_comes_with_the_project() -> None:
    place = TABLE.search((ROOT / "README.md").read_text("utf-8"))
    assert place is not None and reproduced() in place[0]


def test_the_readme_says_of_the_sample_text_what_the_program_says(analysis: Analysis) -> None:
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    found = {one.row: one for one in findings(analysis)}
    assert sample().file in readme
    told = re.search(r"(\d+) of its 72 heads gather, (\d+)% \[(\d+), (\d+)\]", readme)
    effect = found["anchored"].effect
    assert told is not None and effect is not None
    made = [72 * effect.value, *(100 * value for value in (effect.value, effect.low, effect.high))]
    assert [float(one) for one in told.groups()] == pytest.approx(made, abs=0.6)


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_show_what_the_program_draws(analysis: Analysis, name: str) -> None:
    """By the numbers that their descriptions tell."""
    file = f"{name}.svg"
    drawn = (ROOT / "docs" / "figures" / file).read_text("utf-8")
    shown, made = (re.search("<desc>(.*?)</desc>", svg, re.DOTALL) for svg in (drawn, figures(analysis)[file]))
    assert shown is not None and made is not None and alike(shown[1], made[1])
    assert f"docs/figures/{file}" in (ROOT / "README.md").read_text("utf-8")


def test_where_there_is_no_place_for_the_table_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no place for the table"):
        write(tmp_path)
    assert [*tmp_path.iterdir()] == []
