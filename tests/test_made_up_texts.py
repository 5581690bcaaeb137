"""The texts that property tests make up: the same wherever the tests run, fresh ones for `make fuzz`."""

import re
from pathlib import Path

from hypothesis import settings

ROOT = Path(__file__).parents[1]


def test_they_are_the_same_everywhere_but_where_fresh_ones_are_asked_for() -> None:
    usual, fuzz = settings.get_profile("project"), settings.get_profile("fuzz")
    assert usual.derandomize and not fuzz.derandomize
    assert fuzz.max_examples == 1000 == 25 * usual.max_examples


def test_no_property_test_has_a_number_of_its_own_that_make_fuzz_could_not_raise() -> None:
    own = re.compile(r"^@settings\(.*max_examples", re.MULTILINE)
    assert [file.name for file in ROOT.glob("tests/**/*.py") if own.search(file.read_text("utf-8"))] == []


def test_make_fuzz_takes_the_property_tests_alone_and_for_as_long_as_they_need() -> None:
    (line,) = re.findall(r"^fuzz:.*\n\t(.*)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert all(part in line for part in ("-m hypothesis", "--hypothesis-profile fuzz", "--timeout 0"))
