"""What one reads on the pages: no head of a text with too few pairs is named or coloured, and the page offers enough of them."""

import json
import re

from streamlit.testing.v1 import AppTest

from tests.ui.pages import visit

SHORT = "The tide rose over the pier. A boat pulled at its rope, and the rope held. The tide fell again before noon."
PAGES = ["dashboard.py", "pages/1_Heads.py", "pages/3_Specialization.py", "pages/4_Anchor_tokens.py"]
NAMED = re.compile(r"\b(repetition|neighbours|separators|sentence|anchor|mixed)\b")
# The maps of heads, by page; a scatter has one colour for all points.
MAPS = {"chart-head-map", "chart-role-map", "chart-anchor-grid", "chart-scatter"}


def short(page: str) -> AppTest:
    """A page with a text of a few strong pairs a head."""
    app = visit(page)
    app.session_state["text"], app.session_state["own_text"] = "My own text", SHORT
    return app.run()


def charts(app: AppTest) -> dict[str, dict]:
    return {chart.proto.id.split("-", 2)[-1]: json.loads(chart.proto.spec) for chart in app.get("vega_lite_chart")}
