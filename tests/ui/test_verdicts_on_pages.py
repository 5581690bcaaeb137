"""Verdicts on the screen: the rule one click away, with the numbers put in, and the untrained twin where it is known."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from attn_core.findings.bars import BARS, BY_EFFECT
from attn_core.io import disk_cache
from attn_core.models.controls import twin_of
from attn_core.ui.caches import of_choice
from attn_core.ui.shell.frame import LAST
from tests.ui.test_pages import healthy, opened

TEXT = "A refrain"
TWIN = "The untrained twin has "
pytestmark = pytest.mark.model


def said(app: AppTest, words: str) -> list[str]:
    """The paragraphs that hold these words."""
    paragraphs = [block.value.replace("\\", "") for block in app.markdown]
    return [paragraph for paragraph in paragraphs if words in paragraph]


@pytest.mark.parametrize(
    ("page", "claims"),
    [
        ("dashboard.py", ["C1", "C2", "C3", "C4", "C5", "C6", "C7"]),
        ("pages/2_Distances.py", ["C2", "C3"]),
        ("pages/3_Specialization.py", ["C4", "C7"]),
    ],
)
def test_the_rule_of_every_effect_stands_there_with_the_numbers_put_in(page: str, claims: list[str]) -> None:
    app = opened(page, text=TEXT)
    assert healthy(app)
    told = said(app, "unlike it. Here ")
    effects = [bars for bars in BARS if bars.claim in claims]
    assert len(told) == len(effects)
    for bars in effects:
        assert sum(bars.rule in line and "95 % interval over" in line and "by chance" in line for line in told) >= 1


def test_the_twin_s_numbers_stand_in_the_sentences_once_it_was_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path))
    st.cache_resource.clear()  # a test before may have counted it
    app = opened("dashboard.py", text=TEXT)
    assert not said(app, TWIN)
    choice = app.session_state[LAST]
    twin = of_choice.results(replace(choice, spec=twin_of(choice.spec)))
    end = time.monotonic() + 60
    while not of_choice.nulls_if_counted(choice) and time.monotonic() < end:
        time.sleep(0.1)  # it is kept in a thread
    app.run()
    told = said(app, TWIN)
    assert len(told) == len(BARS)
    change = twin.effects.set_index("effect").loc["reach", "value"]
    assert len(said(app, f"{TWIN}{BY_EFFECT['reach'].number(change)} ")) == 1
    assert len(said(opened("pages/2_Distances.py", text=TEXT), TWIN)) == 4
