"""The Heads page: scales of the two matrices, their difference, and a row of a table that the matrices go to."""

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
def test_the_scale_is_own_common_or_rank(sent: list[dict[str, Any]]) -> None:
    app = opened("pages/1_Heads.py")
    own = [panel["cut"] for panel in shown_on(app, sent)["panels"]]
    assert own[0] != own[1]
    app.button_group(key="scale").set_value("common").run()
    common = [panel["cut"] for panel in shown_on(app, sent)["panels"]]
    assert common[0] == common[1] != own[0]
    app.button_group(key="scale").set_value("rank").run()
    ranked = shown_on(app, sent)["panels"]
    assert [panel["range"] for panel in ranked[:2]] == [[0.0, 1.0]] * 2
    assert "rank" in ranked[0]["title"] and "attention" in ranked[2]["title"]


@pytest.mark.model
def test_the_difference_of_a_and_b_is_a_map_of_its_own_and_nothing_where_they_are_one_head(
    sent: list[dict[str, Any]],
) -> None:
    app = opened("pages/1_Heads.py", a="L2H3", b="L4H5")
    assert len(shown_on(app, sent)["panels"]) == 4
    app.toggle(key="difference").set_value(True).run()
    *_, similarity, attention = shown_on(app, sent)["panels"]
    assert similarity["title"] == "L2H3 - L4H5: similarity, difference of ranks"
    assert -1 <= similarity["range"][0] < 0 < similarity["range"][1] <= 1
    assert attention["scheme"] == "diverging"
    app.selectbox(key="b").set_value("L2H3").run()
    assert shown_on(app, sent)["panels"][4]["range"] == [0.0, 0.0]


@pytest.mark.model
def test_a_head_like_a_is_chosen_as_b_by_a_click() -> None:
    app = opened("pages/1_Heads.py", text="A refrain", a="L2H3", **{"open-like-L2H3-b": "true"})
    assert healthy(app)
    like = [button for button in app.button if button.key and button.key.startswith("like-")]
    assert len(like) == 5 and all("L2H3," not in button.label for button in like)
    name = like[0].label.split(",")[0]
    like[0].click().run()
    assert healthy(app) and app.selectbox(key="b").value == name


@pytest.mark.model
def test_a_head_stands_in_two_texts_side_by_side(sent: list[dict[str, Any]]) -> None:
    app = opened("pages/1_Heads.py", text="A refrain", a="L2H3", **{"open-two-texts": "true", "text-b": "Pronouns"})
    assert healthy(app)
    titles = [data["panels"][0]["title"] for data in sent if len(data["panels"]) == 1]
    assert titles == [f"L2H3: context similarity in “{title}”" for title in ("A refrain", "Pronouns")]
    one, other = (len(data["rows"]["names"]) for data in sent if len(data["panels"]) == 1)
    assert one != other
