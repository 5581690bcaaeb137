"""Copies of the model beside a text: read once, shown in the same run, only their tables kept."""

import gc
import weakref
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from attn_core import Analysis, analyze
from attn_core.errors import InputError
from attn_core.measures.roles import MIXED, NAMES
from attn_core.measures.statistics import BY_NAME
from attn_core.models.controls import copy_of
from attn_core.models.files import COPIES, ModelSpec
from attn_core.ui.readings import Choice
from attn_core.ui.shell import copies
from tests.families import Folder
from tests.ui.pages import opened, text_of

TITLE = "A refrain"
TEXT = text_of(TITLE)


@pytest.fixture
def spec(tiny_folder: Folder) -> Iterator[ModelSpec]:
    copies._reading.clear()
    yield ModelSpec(str(tiny_folder("bert")))
    copies._reading.clear()


def described(app: AppTest, begin: str) -> str:
    """What the chart shows that is described so."""
    return next(one.proto.alt for one in app.get("vega_lite_chart") if one.proto.alt.startswith(begin))


def of_roles(analysis: Analysis) -> str:
    """How many heads have each role."""
    have = Counter(analysis.statistics["role"])
    return ", ".join(f"{role} {have[role]}" for role in [*NAMES, MIXED.name])


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

    monkeypatch.setattr(copies, "analyze", noted)
    app = opened("pages/0_Home.py", model=spec.name, text=TITLE)
    assert len(read) == len(COPIES)
    app.run()
    opened("pages/4_Anchor_tokens.py", model=spec.name, text=TITLE)
    assert len(read) == len(COPIES)
    app.slider(key="q").set_value(3.0).run()
    assert len(read) == 2 * len(COPIES), "other pairs are strong now"


def test_only_tables_of_a_copy_stay_in_memory(spec: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[weakref.ref[Any]] = []

    def watched(*given: Any, **how: Any) -> Any:
        analysis = analyze(*given, **how)
        held.extend(map(weakref.ref, (analysis, analysis.reading.model, *analysis.reading.outputs)))
        return analysis

    monkeypatch.setattr(copies, "analyze", watched)
    opened("pages/0_Home.py", model=spec.name, text=TITLE)
    (tables,) = [one.result() for one in copies._reading(Choice(spec, "", TEXT, "en"))]
    kept = [table for of_kind in (tables.heads, tables.layers) for table in of_kind.values()]
    assert len(kept) == 2 * len(COPIES) and all(type(table) is pd.DataFrame for table in kept)
    gc.collect()
    assert len(held) >= 3 * len(COPIES) and not any(one() for one in held)


def test_copies_that_cannot_be_read_are_told_in_a_sentence(spec: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_given: object, **_how: object) -> None:
        raise InputError("The untrained copy is too large for <this> machine.")

    monkeypatch.setattr(copies, "analyze", failing)
    app = opened("pages/0_Home.py", model=spec.name, text=TITLE)
    (told,) = [caption.value for caption in app.caption if "copies of the model cannot be shown" in caption.value]
    assert "too large for" in told and "<this>" not in told


def test_a_long_text_waits_for_a_click(spec: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies.readings, "takes_long", lambda _key: True)
    app = opened("pages/2_Distances.py", model=spec.name, text=TITLE)
    assert "copy" not in described(app, "Mean distance by layer")
    app.button(key="read-copies").click().run()
    assert "untrained copy" in described(app, "Mean distance by layer")
    assert not [button for button in app.button if button.key == "read-copies"]
