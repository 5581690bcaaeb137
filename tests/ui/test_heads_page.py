"""The Heads page: scales of the two matrices, and the heads like one."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attn_core
from attn_core.texts.documents import samples
from tests.ui.pages import healthy, opened


def shown_on(app: AppTest, sent: list[dict[str, Any]]) -> dict[str, Any]:
    assert healthy(app)
    return sent[-1]


@pytest.mark.model
def test_the_marks_are_the_strong_pairs_of_the_statistics(sent: list[dict[str, Any]]) -> None:
    data = shown_on(opened("pages/1_Heads.py", a="L2H3", b="L4H5"), sent)
    pairs = attn_core.analyze(samples()[0].text).windows[0]
    for panel, head in zip(data["panels"][:2], ((1, 2), (3, 4)), strict=True):
        assert panel["marks"] == np.stack([pairs.first[head], pairs.second[head]], axis=1).tolist()


@pytest.mark.model
def test_the_scale_is_own_or_common(sent: list[dict[str, Any]]) -> None:
    app = opened("pages/1_Heads.py")
    own = [panel["cut"] for panel in shown_on(app, sent)["panels"]]
    assert own[0] != own[1]
    app.button_group(key="scale").set_value("common").run()
    common = [panel["cut"] for panel in shown_on(app, sent)["panels"]]
    assert common[0] == common[1] != own[0]


@pytest.mark.model
def test_a_head_like_a_is_chosen_as_b_by_a_click() -> None:
    app = opened("pages/1_Heads.py", text="A refrain", a="L2H3", **{"open-like-L2H3-b": "true"})
    assert healthy(app)
    like = [button for button in app.button if button.key and button.key.startswith("like-")]
    assert len(like) == 5 and all("L2H3," not in button.label for button in like)
    name = like[0].label.split(",")[0]
    like[0].click().run()
    assert healthy(app) and app.selectbox(key="b").value == name
