"""The scatter on Specialization: axes by address, and heads in a rectangle filter the page."""

import pytest

from attn_core.ui.specialization.scatter import CHOSEN
from tests.ui.pages import visit

PAGE = "pages/3_Specialization.py"
TEXT = "A refrain"
pytestmark = pytest.mark.model


def test_axes_stand_in_the_address_and_heads_in_a_rectangle_filter_the_table() -> None:
    app = visit(PAGE, x="component 1", colour="Length", **{"open-features": "true"})
    app.session_state[CHOSEN] = [(2, 3), (4, 1), (99, 1)]  # a head that this model lacks is left out
    app.run()
    assert not app.exception and not app.warning
    assert (app.selectbox(key="x").value, app.selectbox(key="colour").value) == ("component 1", "Length")
    features = next(table.value for table in app.dataframe if "role_rule" in table.value)
    assert list(zip(features["layer"], features["head"], strict=True)) == [(2, 3), (4, 1)]
    assert any(text.value.startswith("**L2H3**, ") for text in app.markdown)
    assert any("2 of 72 heads:** L2H3, L4H1" in text.value for text in app.markdown)
