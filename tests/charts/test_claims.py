"""The picture of the claims shows the numbers of its table, every row on its own axis."""

import altair as alt
import pandas as pd
import pytest

from attn_core.charts.claims import MARKS, ZONES, claim_picture
from attn_core.claims.claim import BY_EFFECT
from attn_core.claims.table import readable_claims
from tests.charts.figures import made_claims


@pytest.fixture
def points() -> pd.Series:
    """Where every mark stands, by claim and mark; the effect of repetition heads lies far beyond the axis."""
    claims = made_claims()
    claims.loc[claims["effect"] == "repeating", "value"] = 9.0
    return data_of(claim_picture(claims), "mark").set_index(["row", "mark"])


def data_of(chart: alt.LayerChart, column: str) -> pd.DataFrame:
    """The table of the layer that has the column."""
    return next(layer.data for layer in chart.layer if isinstance(layer.data, pd.DataFrame) and column in layer.data)


def test_thresholds_of_all_rows_stand_at_nought_and_one_and_supported_lies_to_the_right(points: pd.DataFrame) -> None:
    for effect in ("reach", "late_sentences"):
        name = BY_EFFECT[effect].heading
        assert points.loc[(name, MARKS["value"][0]), "x"] == pytest.approx(1.5)
        assert points.loc[(name, MARKS["untrained"][0]), "x"] == pytest.approx(0)
    assert MARKS["shuffled_text"][0] not in points.index.get_level_values("mark")
    zones = data_of(claim_picture(made_claims()), "zone")
    assert zones["zone"].tolist()[:3] == list(ZONES)
    assert zones["x"].tolist()[1:3] == [0, 1]


def test_what_is_not_applicable_has_its_reason_and_no_number(points: pd.DataFrame) -> None:
    name = BY_EFFECT["separators"].name
    assert BY_EFFECT["separators"].heading not in points.index.get_level_values("row")
    row = readable_claims(made_claims()).set_index("effect").loc["separators"]
    assert (row["number"], row["reason"]) == ("", "No separator.")
    assert f"{name}: verdict not applicable, because No separator." in str(claim_picture(made_claims()).description)


def test_numbers_are_those_of_the_table() -> None:
    row = readable_claims(made_claims()).set_index("effect").loc["reach"]
    assert (row["number"], row["untrained_number"]) == ("-32.5% [-50, -23.8]", "+20%")


@pytest.mark.parametrize("applicable", [False, True])
def test_no_layer_is_without_rows(applicable: bool) -> None:
    """A page would draw a row "null" for it."""
    claims = made_claims()
    claims = claims[(claims["verdict"] != "not applicable") == applicable]
    assert all(len(layer.data) for layer in claim_picture(claims).layer)


def test_a_reason_is_whole_on_a_telephone() -> None:
    reason = "Attention is causal, so that chance is what untrained copies have: compare with at least 3."
    claims = made_claims()
    claims.loc[claims["claim"] == "C6", "reason"] = reason
    chart = claim_picture(claims)
    said = next(
        layer.data for layer in chart.layer if isinstance(layer.data, pd.DataFrame) and set(layer.data) >= {"reason"}
        and set(layer.data["verdict"]) == {"not applicable"}
    )  # fmt: skip
    assert set(said["reason"].str.replace("\n", " ")) == {reason}
    assert max(len(line) for one in said["reason"] for line in one.split("\n")) <= 58
    assert not set(said["row"]) & set(data_of(chart, "zone")["row"])
