"""Verdicts on the screen: the rule one click away, with the numbers put in, and the untrained twin where it is known."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from attn_core.findings.bars import BARS, BY_EFFECT
from attn_core.ui import derived
from attn_core.ui import readings
from attn_core.ui import removals
from attn_core.ui import copies
from attn_core.ui import prefetch
from attn_core.ui.shell.frame import LAST
from tests.ui.pages import healthy, opened

TEXT = "A refrain"
TWIN = "The untrained twin has "
HOME, OTHERS = {"open-rows": "true"}, {"open-rules": "true"}
pytestmark = pytest.mark.model


def said(app: AppTest, words: str) -> list[str]:
    """The paragraphs that hold these words."""
    paragraphs = [block.value.replace("\\", "") for block in app.markdown]
    return [paragraph for paragraph in paragraphs if words in paragraph]


def picture(app: AppTest) -> str:
    """The specification of the picture of the claims."""
    return next(chart.proto.spec for chart in app.get("vega_lite_chart") if "rows of the paper" in chart.proto.alt)


@pytest.mark.parametrize(
    ("page", "claims"),
    [
        ("dashboard.py", ["C1", "C2", "C3", "C4", "C5", "C6", "C7"]),
        ("pages/2_Distances.py", ["C2", "C3"]),
        ("pages/3_Specialization.py", ["C4", "C7"]),
    ],
)
def test_the_rule_of_every_effect_stands_there_with_the_numbers_put_in(page: str, claims: list[str]) -> None:
    app = opened(page, text=TEXT, **(HOME if page == "dashboard.py" else OTHERS))
    assert healthy(app)
    told = said(app, "unlike it. Here ")
    effects = [bars for bars in BARS if bars.claim in claims]
    assert len(told) == len(effects)
    for bars in effects:
        assert sum(bars.rule in line and "95% interval over" in line and "by chance" in line for line in told) >= 1


def test_the_twin_s_numbers_stand_in_the_sentences_once_it_was_counted() -> None:
    st.cache_resource.clear()  # a test before may have counted it
    app = opened("dashboard.py", text=TEXT, **HOME)
    assert not said(app, TWIN) and "untrained" not in picture(app)
    choice = app.session_state[LAST]
    derived.count_control(choice, "untrained")
    twin = derived.controls_if_counted(choice)["untrained"]
    app.run()
    told = said(app, TWIN)
    assert len(told) == len(BARS)
    change = twin.effects.set_index("effect").loc["reach", "value"]
    assert len(said(app, f"{TWIN}{BY_EFFECT['reach'].number(change)} ")) == 1
    assert "untrained twin" in picture(app)
    assert len(said(opened("pages/2_Distances.py", text=TEXT, **OTHERS), TWIN)) == 4


def test_home_begins_with_three_sentences_from_the_numbers_and_each_head_is_a_click_away() -> None:
    app = opened("dashboard.py", text="Three topics")
    told = [block.value for block in app.markdown]
    assert any("Heads that stand out" in line for line in told)
    head = next(button for button in app.button if button.key.startswith("stands-"))
    assert any("of its strong pairs" in line for line in told) and any("to say whether" in line for line in told)
    assert any("simply those of the longest vectors" in caption.value for caption in app.caption)
    head.click().run()
    assert app.session_state["a"] == head.label
