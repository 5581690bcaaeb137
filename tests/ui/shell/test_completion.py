"""What completes a page: noise and copies of the model are read once, then the page is drawn once more."""

import gc
import json
import weakref
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from attn_core import Analysis, analyze
from attn_core.errors import InputError
from attn_core.measures.roles import MIXED, NAMES
from attn_core.measures.statistics import BY_NAME
from attn_core.models.baselines import copy_of
from attn_core.models.files import COPIES, ModelSpec
from attn_core.ui.shell import completion, page, sidebar
from tests.quick import quick_only
from tests.ui.pages import described, opened, text_of

TITLE, HOME = "A refrain", "pages/0_Home.py"
TEXT = text_of(TITLE)


@pytest.fixture
def spec(tiny: ModelSpec) -> Iterator[ModelSpec]:
    completion._futures.clear()
    yield tiny
    completion._futures.clear()


def of_roles(analysis: Analysis) -> str:
    """How many heads have each role, and of how many it is the stable one."""
    roles, stable = analysis.statistics["role"], Counter(analysis.roles["stable_role"])
    have = Counter(roles)
    return ", ".join(f"{role} {stable[role] if role in NAMES else 0} of {have[role]}" for role in [*NAMES, MIXED])


def test_a_page_shows_the_copies_after_one_run_with_the_numbers_of_the_library(spec: ModelSpec) -> None:
    distances = opened("pages/2_Distances.py", model=spec.name, text=TITLE)
    roles = opened("pages/3_Specialization.py", model=spec.name, text=TITLE)
    statistic = BY_NAME["mean_distance"]
    assert f"this model {of_roles(analyze(TEXT, spec, language='en'))}" in described(roles, "Heads of each role")
    for kind, name in COPIES.items():
        copy = analyze(TEXT, copy_of(spec, kind), language="en")
        shown = f"{name} {statistic.text(copy.layers['mean_distance'].mean())}"
        assert shown in described(distances, "Mean distance by layer")
        assert f"{name} {of_roles(copy)}" in described(roles, "Heads of each role")


def test_a_second_run_reads_nothing(spec: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(text: str, of: ModelSpec, *settings: Any, **how: Any) -> Any:
        read.append(str(of))
        return analyze(text, of, *settings, **how)

    monkeypatch.setattr(completion, "analyze", noted)
    app = opened(HOME, model=spec.name, text=TITLE)
    assert len(read) == len(COPIES)
    app.run()
    opened("pages/4_Anchor_tokens.py", model=spec.name, text=TITLE)
    assert len(read) == len(COPIES)
    app.slider(key="q").set_value(3.0).run()
    assert len(read) == 2 * len(COPIES), "other pairs are strong now"


def test_only_a_page_that_shows_what_copies_read_has_it_read(spec: ModelSpec) -> None:
    for page_of_text, of_sources in (("2_Distances", []), ("4_Anchor_tokens", []), ("0_Home", [*COPIES.values()])):
        completion._futures.clear()
        app = opened(f"pages/{page_of_text}.py", model=spec.name, text=TITLE)
        assert list(completion.copies_of(app.session_state[page.LAST]).sources) == of_sources, page_of_text


def test_only_tables_of_a_copy_stay_in_memory(spec: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[weakref.ref[Any]] = []

    def watched(*given: Any, **how: Any) -> Any:
        analysis = analyze(*given, **how)
        held.extend(map(weakref.ref, (analysis, analysis.reading.model, *analysis.reading.outputs)))
        return analysis

    monkeypatch.setattr(completion, "analyze", watched)
    choice = opened(HOME, model=spec.name, text=TITLE).session_state[page.LAST]
    tables = completion._futures[completion.COPIES_WITH_SOURCES.name, completion._key(choice)].result()
    kept = [table for of_kind in (tables.heads, tables.layers) for table in of_kind.values()]
    assert len(kept) == 2 * len(COPIES) and all(type(table) is pd.DataFrame for table in kept)
    gc.collect()
    assert len(held) >= 3 * len(COPIES) and not any(one() for one in held)


def test_copies_that_cannot_be_read_are_told_in_a_sentence(spec: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_given: object, **_how: object) -> None:
        raise InputError("The untrained copy is too large for <this> machine.")

    monkeypatch.setattr(completion, "analyze", failing)
    app = opened(HOME, model=spec.name, text=TITLE)
    (told,) = [caption.value for caption in app.caption if "copies of the model cannot be shown" in caption.value]
    assert "too large for" in told and "<this>" not in told


def test_a_long_text_waits_for_a_click(spec: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion.readings, "takes_long", lambda _key: True)
    app = opened("pages/2_Distances.py", model=spec.name, text=TITLE)
    assert "copy" not in described(app, "Mean distance by layer")
    app.button(key="read-parts").click().run()
    assert "untrained copy" in described(app, "Mean distance by layer")
    assert not [button for button in app.button if button.key == "read-parts"]


def test_a_first_visit_has_two_script_runs_and_a_click_one(spec: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    """On every page; the next page needs a second run only for what no page before has read."""
    runs: list[str] = []
    draw = sidebar.draw
    monkeypatch.setattr(sidebar, "draw", lambda: runs.append("") or draw())  # type: ignore[func-returns-value]
    st.cache_resource.clear()
    for page_of_text, first in (
        ("pages/2_Distances.py", 2), (HOME, 2), ("pages/3_Specialization.py", 1), ("pages/1_Heads.py", 1),
    ):  # fmt: skip
        app = opened(page_of_text, model=spec.name, text=TITLE)
        assert len(runs) == first, page_of_text
        for head in ("L1H2", "L2H2"):
            runs.clear()
            app.selectbox(key="a").set_value(head).run()
            assert len(runs) == 1 and not app.exception
        runs.clear()


@pytest.mark.parametrize(
    "page_of_text", quick_only([f"pages/{name}.py" for name in ("0_Home", "2_Distances", "3_Specialization")], HOME)
)
def test_the_place_of_what_completes_a_page_is_kept(
    page_of_text: str, spec: ModelSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it comes a page has the same elements, and its figures the same height and the same legends."""
    with monkeypatch.context() as patch:
        patch.setattr(completion.Completion, "complete", lambda _self: False)
        before = opened(page_of_text, model=spec.name, text=TITLE)
    after = opened(page_of_text, model=spec.name, text=TITLE)
    assert [layout_of(chart) for chart in charts(before)] == [layout_of(chart) for chart in charts(after)]
    assert [chart.proto.spec for chart in charts(before)] != [chart.proto.spec for chart in charts(after)]
    for kind in ("header", "dataframe", "selectbox", "caption"):
        more = kind == "caption" and page_of_text == HOME  # says what is worth a look until it is known
        assert len(getattr(before, kind)) == len(getattr(after, kind)) + more, kind


def charts(app: AppTest) -> list[Any]:
    return list(app.get("vega_lite_chart"))


def layout_of(chart: Any) -> tuple[str, int, list[list[str]]]:
    """The key, height and legends of a figure."""
    spec = json.loads(chart.proto.spec)
    scales = [layer.get("encoding", {}).get("color", {}).get("scale", {}) for layer in spec["layer"]]
    return chart.proto.id, spec["height"], [scale.get("domain", []) for scale in scales][:1]
