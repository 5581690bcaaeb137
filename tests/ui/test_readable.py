"""No head of a text with too few pairs is named or coloured, and the page offers enough of them."""

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attn_core.charts.style import BLANK
from attn_core.measures.roles import FEW
from attn_core.models.files import ModelSpec
from tests.ui.pages import healthy, visit

SHORT = "The tide rose over the pier. A boat pulled at its rope, and the rope held. The tide fell again before noon."
HOME, HEADS, SPECIALIZATION, ANCHORS, INTERVENTIONS = (
    "pages/0_Home.py", "pages/1_Heads.py", "pages/3_Specialization.py", "pages/4_Anchor_tokens.py",
    "pages/7_Interventions.py",
)  # fmt: skip
A_ROLE = re.compile(rf"L\d+H\d+: (?!{FEW})|gathers around|Its anchor is")


def short(page: str, **address: Any) -> AppTest:
    """A page with a text of a few strong pairs a head."""
    app = visit(page, **address)
    app.session_state["text"], app.session_state["own_text"] = "New text", SHORT
    return app.run()


def words(app: AppTest) -> list[str]:
    return [part.value for part in (*app.header, *app.subheader, *app.markdown, *app.caption)]


def cells(app: AppTest) -> list[dict[str, Any]]:
    """The cells of the maps of heads."""
    specs = [json.loads(chart.proto.spec) for chart in app.get("vega_lite_chart")]
    layers = [layer for spec in specs for layer in spec.get("layer", [])]
    return [layer for layer in layers if layer["mark"]["type"] == "rect" and "color" in layer.get("encoding", {})]


@pytest.mark.parametrize("page", [HOME, HEADS, SPECIALIZATION, ANCHORS])
def test_no_head_of_a_short_text_is_named_or_coloured_and_enough_pairs_are_offered(page: str, tiny: ModelSpec) -> None:
    app = short(page, model=tiny.name)
    assert healthy(app)
    (said,) = [line for line in words(app) if "Too few strong pairs" in line]
    assert not [line for line in words(app) if A_ROLE.search(line)]
    assert not [button for button in app.button if str(button.key).startswith("notable-")]
    assert all(layer["encoding"]["color"] == {"value": BLANK} for layer in cells(app))
    for frame in app.dataframe:
        assert set(frame.value.get("role", [])) <= {FEW}
    app.slider(key="q").set_value(float(said.partition("the strongest ")[2].partition("%")[0])).run()
    assert healthy(app) and not [line for line in words(app) if "Too few strong pairs" in line]
