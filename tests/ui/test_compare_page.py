"""The Compare page: a model and one thing that differs."""

from typing import Any

import pandas as pd
import pytest

from tests.families import Folder
from tests.ui.pages import healthy, opened

pytestmark = pytest.mark.model
PAGE = "pages/8_Compare.py"
Saved = dict[str, tuple[pd.DataFrame, dict[str, Any]]]
OPEN = {"open-curves": "true", "open-best-matches": "true"}


@pytest.fixture
def tiny(tiny_folder: Folder) -> dict[str, str]:
    """The address of a tiny model and a short text."""
    return {"model": str(tiny_folder("bert")), "text": "A refrain", "a": "L1H1"}


@pytest.mark.parametrize(
    ("address", "subjects"),
    [
        ({}, ["bert", "untrained copy"]),
        ({"compare_with": "shuffled weights"}, ["bert", "shuffled weights"]),
        ({"compare_with": "shuffled text"}, ["bert", "shuffled text"]),
        ({"compare_with": "another text", "b_text": "Pronouns"}, ["A refrain", "Pronouns"]),
        ({"compare_with": "heads removed"}, ["bert", "without L1H1"]),
        (
            {"compare_with": "heads removed", "b_off": "L2", "b_replace": "zero"},
            ["bert", "without L2H1, L2H2, L2H3, L2H4 (zero)"],
        ),
        ({"control": "shuffled text"}, ["bert", "the model itself"]),
        ({"control": "untrained copy"}, ["bert, untrained copy (seed 0)", "the model itself"]),
        ({"compare_with": "another model", "b_model": "bert"}, ["bert", "bert, again"]),
    ],
    ids=str,
)
def test_b_differs_from_a_in_one_thing(
    address: dict[str, str], subjects: list[str], saved: Saved, tiny: dict[str, str]
) -> None:
    """A model and itself in nothing, and one without heads from the layer of the first of them on."""
    given = address | ({"b_model": tiny["model"]} if "b_model" in address else {})
    assert healthy(opened(PAGE, **tiny, **given, **OPEN))
    assert list(saved["differences"][1]["subjects"]) == subjects
    differences = saved["differences"][0].groupby("layer")["difference"].apply(lambda of: of.abs().max())
    assert (differences.iloc[-1] > 1e-9) == ("again" not in subjects[1])
    assert "b_off" not in address or differences.iloc[0] < 1e-9
    assert ("best-matches" in saved) == ("b_text" not in address)


def test_a_model_that_cuts_the_text_into_other_windows_reads_them_all(tiny_folder: Folder) -> None:
    address = {"model": str(tiny_folder("bert")), "window": "8", "b_model": str(tiny_folder("t5"))}
    assert healthy(opened(PAGE, compare_with="another model", **address))
