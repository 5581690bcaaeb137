"""A click on a head: what is drawn of it alone is made, every other figure is the one that was there."""

import gc
import threading
import weakref
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import attn_core
from attn_core.analysis.one_text import Analysis
from attn_core.models.files import ModelSpec
from attn_core.ui import readings
from attn_core.ui.readings import Choice
from tests.families import TEXT
from tests.quick import quick_only
from tests.ui.pages import opened

PACKAGES = [Path(attn_core.__file__).parent / package for package in ("measures", "charts")]
MARKED = {"style.marked"}  # sets heads A and B in a figure
BARS = {
    "pairs.bars_beside_chance", "style", "descriptions", "catalogue.draw_figure", "catalogue.over",
    "catalogue.__getitem__",
}  # fmt: skip
EXAMPLES = {"kinds", "examples", "token_coverage", "pair_properties", "few_pairs"}  # modules
OF_ROLE = {"groups.settings_grid", "word_grid", "role_words", "roles"}
# What the part of head A calls, beside `MARKED`.
OF_HEAD = {
    "0_Home": set[str](),
    "2_Distances": BARS | {"catalogue._distances_of_head", "distances.bins_of_head", "distances.beside_copy"},
    "3_Specialization": BARS | {"catalogue._kinds_of_head"} | EXAMPLES | OF_ROLE,
    "4_Anchor_tokens": set[str](),
    "5_Segmentation": set[str](),
    "6_Patterns": set[str](),
    "8_Compare": set[str](),
}  # fmt: skip


def called(run: Any) -> set[str]:
    """The functions of measures and charts that a run calls, without those that are part of one that is named."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and Path(code.co_filename).parent in PACKAGES and not code.co_name.startswith("<"):
            found.add(f"{Path(code.co_filename).stem}.{code.co_name}")

    threading.setprofile(note)
    try:
        run()
    finally:
        threading.setprofile(None)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("page", quick_only(OF_HEAD, "2_Distances", "3_Specialization"))
def test_a_click_on_a_head_makes_no_figure_but_those_of_the_head(page: str, tiny: ModelSpec) -> None:
    app = opened(f"pages/{page}.py", model=tiny.name, text="A refrain", a="L1H1")
    app.selectbox(key="a").set_value("L1H2").run()
    made = called(lambda: app.selectbox(key="a").set_value("L2H3").run())
    assert not app.exception
    assert [name for name in made - MARKED if not {name, name.split(".")[0]} & OF_HEAD[page]] == []
    assert called(lambda: app.selectbox(key="a").set_value("L1H2").run()) <= MARKED, "all of this head is known"


def test_what_is_kept_goes_with_the_analysis(tiny: ModelSpec) -> None:
    results = readings.results(Choice(tiny, "a text", TEXT))
    kept = [readings.kept(results, number, lambda: object()) for number in (1, 1, 2)]
    assert kept[0] is kept[1] and kept[0] is not kept[2]
    analysis = Analysis(results.reading, results.settings, results.measured, results.references)
    value = weakref.ref(readings.kept(analysis, "a figure", Thing))
    assert value() is not None
    del analysis
    gc.collect()
    assert value() is None


class Thing:
    """Something that can be referred to weakly."""
