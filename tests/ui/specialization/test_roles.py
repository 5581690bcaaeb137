"""Roles on Specialization: their numbers, and those of the heads that Home names."""

import pytest

from attn_core import analyze
from attn_core.findings.notable_heads import WHAT, notable_heads
from attn_core.models.controls import COPIES, twin_of
from attn_core.models.files import MINILM, ModelSpec
from attn_core.texts.documents import samples
from tests.ui.pages import opened

PAGE = "pages/3_Specialization.py"
TEXT = "A refrain"
pytestmark = pytest.mark.model


def test_the_number_of_roles_is_that_of_the_table() -> None:
    app = opened(PAGE, **{"open-roles": "true"})
    roles = next(table.value for table in app.dataframe if "as second" in table.value).set_index("role")
    named = roles.drop("mixed").select_dtypes("number").sum()
    (told,) = [text.value for text in app.markdown if "heads have a role" in text.value]
    assert f"**{named['heads']:.0f} of 72 heads have a role" in told


def test_a_head_that_home_names_has_the_role_that_it_is_named_for() -> None:
    home = opened("dashboard.py", text=TEXT)
    (sample,) = (sample for sample in samples() if sample.title == TEXT)
    copies = {name: analyze(sample.text, twin_of(ModelSpec(MINILM), kind)).statistics for kind, name in COPIES.items()}
    notable = notable_heads(analyze(sample.text).statistics, copies)
    assert notable and [one.key for one in home.button if str(one.key).startswith("notable-")] == [
        f"notable-{one.head}" for one in notable
    ]
    page = opened(PAGE, text=TEXT, **{"open-features": "true"})
    roles = next(table.value for table in page.dataframe if "role_rule" in table.value).set_index(["layer", "head"])
    for one in notable:
        row = roles.loc[one.head.row]
        named = [role for role in (row["role"], row["second_role"]) if role in WHAT]
        assert any(one.what.startswith(WHAT[role].split("{")[0]) for role in named)
