"""The scatter on Specialization: axes by address, and heads in a rectangle filter the page."""

import re

import pytest

from attn_core.head import Head
from attn_core.ui.specialization.scatter import CHOSEN
from tests.ui.pages import opened, visit

PAGE = "pages/3_Specialization.py"
TEXT = "A refrain"
pytestmark = pytest.mark.model


def test_the_number_of_roles_stands_beside_the_untrained_twin_s_where_it_was_read() -> None:
    app = opened(PAGE, **{"open-roles": "true"})
    roles = next(table.value for table in app.dataframe if "as second" in table.value).set_index("role")
    named = roles.drop("mixed").select_dtypes("number").sum()
    (told,) = [text.value for text in app.markdown if "heads have a role" in text.value]
    assert f"**{named['heads']:.0f} of 72 heads have a role" in told
    assert ("of its untrained twin" in told) == ("untrained twin" in roles)


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


def test_home_and_specialization_name_the_same_head_that_repeats_and_its_tokens() -> None:
    home = opened("dashboard.py", text=TEXT, **{"open-rows": "true"})
    told = " ".join(text.value.replace("\\", "") for text in home.markdown)
    ((name, role),) = re.findall(r"(L\d+H\d+), ([^.]*), repeats most", told)
    page = opened(PAGE, text=TEXT, a=name, **{"open-features": "true"})
    features = next(table.value for table in page.dataframe if "role_rule" in table.value)
    heads = features.set_index(["layer", "head"])
    row = heads.loc[Head.named(name).row]
    assert "repetition" in (row["role"], row["second_role"])
    others = heads[(heads["role"] == "repetition") | (heads["second_role"] == "repetition")]
    assert row["other_repetition_share"] == others["other_repetition_share"].max()
    assert f"{name}: {role}" in [title.value.replace("\\", "") for title in page.header]
    tokens = role[role.index("(") : role.index(")") + 1]
    assert "“" in tokens and tokens in row["role_rule"]
